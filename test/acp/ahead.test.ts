import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { type AgentSide, createAgentSide } from '../../src/acp/agent_side.ts';
import { answerAhead, type Beginning } from '../../src/acp/ahead.ts';
import { createLateClient, type LateClient } from '../../src/acp/client_port.ts';
import { helloResult } from '../../src/acp/hello.ts';
import { openFrames, toStream } from '../../src/acp/stream.ts';
import { serve } from '../../src/acp/server.ts';
import { createMachine } from '../../src/session/machine.ts';
import { startStdio } from '../harness/stdio.ts';

let home: string;
let client: LateClient;
let side: AgentSide;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'planfold-ahead-'));
  client = createLateClient();
  const env = { HOME: home, PATH: process.env['PATH'], PLANFOLD_HOME: home, OPENAI_API_KEY: 'k' };
  const machine = createMachine(env);
  side = createAgentSide(async () => machine, client.port);
});

const initialize = (change: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: 1, clientCapabilities: {} },
  ...change,
});

const newSession = (params: object = {}, change: object = {}) => ({
  jsonrpc: '2.0',
  id: 2,
  method: 'session/new',
  params: { cwd: home, mcpServers: [], ...params },
  ...change,
});

/** What `answerAhead` makes of these frames, and what it answers. */
async function begin(...messages: object[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const frames = openFrames({
    input,
    output,
    frameBytesMax: 1e6,
    drainMsMax: 0,
    onGone() {},
  });
  for (const message of messages) input.write(`${JSON.stringify(message)}\n`);
  const beginning: Beginning = await answerAhead(frames, side);
  const answers = () =>
    String(output.read() ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { ...beginning, answers: answers(), more: answers, input, frames };
}

test('a plain beginning is answered, and nothing is left', async () => {
  const { hello, left, answers } = await begin(initialize(), newSession());
  expect(hello).toEqual({ protocolVersion: 1, clientCapabilities: {} });
  expect(left).toBeUndefined();
  expect(answers).toMatchObject([
    { jsonrpc: '2.0', id: 1, result: helloResult({}) },
    { jsonrpc: '2.0', id: 2, result: { sessionId: expect.any(String), modes: {} } },
  ]);
});

test.each([
  ['another method', initialize({ method: 'session/list' })],
  ['an id of another type', initialize({ id: { a: 1 } })],
  ['a notification', initialize({ id: undefined })],
  ['another version of JSON-RPC', initialize({ jsonrpc: '1.0' })],
  ['params that do not fit', initialize({ params: { protocolVersion: 'x' } })],
  ['a batch', [initialize()]],
  ['null', null as unknown as object],
])('%s is left to the library', async (_, message) => {
  const { hello, left, answers } = await begin(message);
  // As it came over the wire.
  expect(left).toEqual(JSON.parse(JSON.stringify(message)));
  expect([hello, answers]).toEqual([undefined, []]);
});

test.each([
  ['another method', newSession({}, { method: 'session/load' })],
  ['a second initialize', initialize({ id: 3 })],
  ['an id of another type', newSession({}, { id: null })],
  ['no directory', newSession({ cwd: undefined })],
  ['a server', newSession({ mcpServers: [{ name: 'x', command: '/x', args: [], env: [] }] })],
  ['servers that are none', newSession({ mcpServers: 'x' })],
  ['no servers', newSession({ mcpServers: undefined })],
  ['directories that are none', newSession({ additionalDirectories: [1] })],
  ['a system prompt', newSession({ systemPrompt: 'x' })],
])('behind the initialize, %s is left', async (_, message) => {
  const { hello, left, answers } = await begin(initialize(), message);
  expect(hello).toBeDefined();
  // As it came over the wire.
  expect(left).toEqual(JSON.parse(JSON.stringify(message)));
  expect(answers).toHaveLength(1);
});

test('what goes wrong is answered with the words that the library would have', async () => {
  const { answers, left } = await begin(initialize(), newSession({ cwd: 'here' }));
  expect(left).toBeUndefined();
  expect(answers[1]).toEqual({
    jsonrpc: '2.0',
    id: 2,
    error: { code: -32602, message: '`cwd` must be an absolute path, got "here".' },
  });
});

test('what is told before the library is there comes after the answer, and in order', async () => {
  const { hello, left, frames, input, more } = await begin(initialize(), newSession());
  const tell = (text: string) =>
    client.port.notify('session/update', {
      sessionId: 's',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
    });
  const early = [tell('1'), tell('2')];
  const { closed } = serve(toStream(frames, left), side, { client, hello });
  const late = tell('3');
  await Promise.all([...early, late]);
  const texts = more().flatMap(({ params }) => params?.update?.content?.text ?? []);
  expect(texts).toEqual(['1', '2', '3']);
  input.end();
  await closed;
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
  const line = `${JSON.stringify(initialize({ id: 'whole' }))}\n`;
  agent.sendRaw(
    `${JSON.stringify(initialize({ id: 'wrong', params: { protocolVersion: 'x' } }))}\n`,
  );
  expect((await agent.until(({ id }) => id === 'wrong')).error?.code).toBe(-32602);
  agent.sendRaw(line.slice(0, 30));
  await new Promise((resolve) => setTimeout(resolve, 50));
  agent.sendRaw(line.slice(30));
  expect((await agent.until(({ id }) => id === 'whole')).result).toEqual(helloResult({}));
  agent.child.stdin?.end();
  await agent.exited;
});
