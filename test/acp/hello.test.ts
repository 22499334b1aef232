import { PROTOCOL_VERSION } from '@agentclientprotocol/sdk/unstable';
import { expect, test } from 'vitest';
import { ACP_VERSION, readHello } from '../../src/acp/hello.ts';

test('the version is the one that the protocol library speaks', () => {
  expect(ACP_VERSION).toBe(PROTOCOL_VERSION);
});

test.each([
  {},
  { fs: { readTextFile: true, writeTextFile: false }, terminal: true },
  { session: null, auth: { terminal: true }, elicitation: { form: {}, url: {} } },
  { _meta: { anything: ['goes', 1] } },
])('plain capabilities are read: %j', (clientCapabilities) => {
  expect(readHello({ protocolVersion: 1, clientCapabilities, clientInfo: 'x' })).toEqual({
    protocolVersion: 1,
    clientCapabilities,
  });
});

test('a client that says nothing of itself can do nothing', () => {
  expect(readHello({ protocolVersion: 7 })).toEqual({ protocolVersion: 7, clientCapabilities: {} });
});

test.each([
  ['no params', undefined],
  ['a list', []],
  ['no version', {}],
  ['a version that is a text', { protocolVersion: '1' }],
  ['half a version', { protocolVersion: 1.5 }],
  ['capabilities that are none', { protocolVersion: 1, clientCapabilities: 1 }],
  ['a capability that is a text', { protocolVersion: 1, clientCapabilities: { fs: 'yes' } }],
  ['one of another type below', { protocolVersion: 1, clientCapabilities: { fs: { a: [] } } }],
])('%s is left to the library', (_, params) => {
  expect(readHello(params)).toBeUndefined();
});
