import { PROTOCOL_VERSION } from '@agentclientprotocol/sdk/unstable';
import { expect, test } from 'vitest';
import { ACP_VERSION, helloResult, sayHello } from '../../src/acp/hello.ts';
import { startStdio } from '../harness/stdio.ts';

const initialize = (change: object = {}) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: 1, clientCapabilities: {} },
    ...change,
  });

test('the version is the one that the protocol library speaks', () => {
  expect(ACP_VERSION).toBe(PROTOCOL_VERSION);
});

test('a plain initialize is answered', () => {
  const hello = sayHello(initialize());
  expect(hello?.frame.endsWith('\n')).toBe(true);
  expect(JSON.parse(hello?.frame ?? '')).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: helloResult({}),
  });
});

test.each([
  ['another method', initialize({ method: 'session/new' })],
  ['a notification', initialize({ id: undefined })],
  ['an id of another type', initialize({ id: { a: 1 } })],
  ['another version of JSON-RPC', initialize({ jsonrpc: '1.0' })],
  ['no params', initialize({ params: undefined })],
  ['no version', initialize({ params: {} })],
  ['a version that is a text', initialize({ params: { protocolVersion: '1' } })],
  [
    'capabilities that are none',
    initialize({ params: { protocolVersion: 1, clientCapabilities: 1 } }),
  ],
  ['half a line', initialize().slice(0, 20)],
  ['nothing', ''],
])('%s is left to the library', (_, line) => {
  expect(sayHello(line)).toBeUndefined();
});

test('it is answered once, and what the client can do is known afterwards', async () => {
  const agent = startStdio();
  await agent.initialize({ elicitation: { form: {} } });
  await agent.newSession();
  expect(agent.messages().filter(({ id }) => id === 't1')).toHaveLength(1);
  const again = await agent.request('initialize', { protocolVersion: 1 });
  expect(again.result).toEqual(helloResult({}));
  agent.child.stdin?.end();
  await agent.exited;
});

test('an initialize that comes in pieces, or wrong, is answered by the library', async () => {
  const agent = startStdio();
  const line = `${initialize({ id: 'whole' })}\n`;
  agent.sendRaw(`${initialize({ id: 'wrong', params: { protocolVersion: 'x' } })}\n`);
  expect((await agent.until(({ id }) => id === 'wrong')).error?.code).toBe(-32602);
  agent.sendRaw(line.slice(0, 30));
  await new Promise((resolve) => setTimeout(resolve, 50));
  agent.sendRaw(line.slice(30));
  expect((await agent.until(({ id }) => id === 'whole')).result).toEqual(helloResult({}));
  agent.child.stdin?.end();
  await agent.exited;
});
