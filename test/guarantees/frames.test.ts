import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { configure } from '../harness/editor.ts';
import { checkCalls, checkTurns } from '../harness/invariants.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call, chunk } from '../harness/sse.ts';
import { permit, type StdioAgent, startStdio, update } from '../harness/stdio.ts';

let server: ModelServer;
let agent: StdioAgent;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
afterEach(async () => {
  agent.child.stdin?.end();
  await agent.exited;
});

const KEY = 'sk-never-to-be-seen-0123456789';

function start(env: NodeJS.ProcessEnv = {}): StdioAgent {
  agent = startStdio({
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: server.url,
    PLANFOLD_MODEL: 'test-model',
    ...env,
  });
  return agent;
}

async function open(env: NodeJS.ProcessEnv = {}): Promise<string> {
  start(env);
  agent.answerWith(permit());
  await agent.initialize({ elicitation: { form: {} } });
  configure(agent.home, { limits: { retriesMax: 1, retryDelayMs: 1 } });
  return agent.newSession();
}

async function answersStill(sessionId: string): Promise<void> {
  server.enqueue(answer({ text: 'Still here.' }));
  const { result } = await agent.prompt(sessionId, 'Are you there?');
  expect(result?.['stopReason']).toBe('end_turn');
}

describe('a frame that is none is answered, and the session goes on', () => {
  test.each<[string, string, unknown]>([
    ['half a JSON line', '{"jsonrpc":"2.0","id":1,"meth', { id: null, code: -32700 }],
    ['an array', '[{"jsonrpc":"2.0","id":1,"method":"x"}]', { id: null, code: -32600 }],
    ['a number', '42', { id: null, code: -32600 }],
    ['a text', '"hello"', { id: null, code: -32600 }],
    ['an object that is no message', '{"hello":1}', { id: null, code: -32600 }],
    ['an unknown method', '{"jsonrpc":"2.0","id":9,"method":"no/such"}', { id: 9, code: -32601 }],
    [
      'params of the wrong type',
      '{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":[1]}',
      { id: 9, code: -32602 },
    ],
    [
      'a prompt for a session that is not there',
      '{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":{"sessionId":"x","prompt":[]}}',
      { id: 9, code: -32002 },
    ],
    [
      'a relative cwd',
      '{"jsonrpc":"2.0","id":9,"method":"session/new","params":{"cwd":"here","mcpServers":[]}}',
      { id: 9, code: -32602 },
    ],
    [
      'a cwd that does not exist',
      '{"jsonrpc":"2.0","id":9,"method":"session/new","params":{"cwd":"/no/where","mcpServers":[]}}',
      { id: 9, code: -32602 },
    ],
  ])('%s', async (_, line, expected) => {
    const sessionId = await open();
    agent.sendRaw(`${line}\n`);
    const { id, error } = await agent.until((message) => message.error !== undefined);
    expect({ id, code: error?.code }).toEqual(expected);
    await answersStill(sessionId);
  });

  test('answers to nothing are passed over', async () => {
    const sessionId = await open();
    agent.sendRaw('{"jsonrpc":"2.0","id":77,"result":{}}\n{"jsonrpc":"2.0","id":78}\n\n');
    await answersStill(sessionId);
  });

  test('a frame of 50 MB is refused without being kept', async () => {
    const sessionId = await open();
    agent.sendRaw(`{"jsonrpc":"2.0","id":5,"method":"x","params":"${'x'.repeat(50 << 20)}"}\n`);
    const { error } = await agent.until((message) => message.error !== undefined);
    expect(error).toMatchObject({ code: -32600 });
    expect(error?.message).toContain('longer than 33554432 bytes');
    await answersStill(sessionId);
  });

  test('a request before initialize is refused', async () => {
    start();
    const { error } = await agent.request('session/new', { cwd: agent.cwd, mcpServers: [] });
    expect(error?.code).toBe(-32600);
    await agent.initialize();
    await agent.newSession();
  });

  test('requests pipelined behind initialize are answered in order', async () => {
    start();
    const frame = (id: number, method: string, params: unknown) =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    agent.sendRaw(
      frame(1, 'initialize', { protocolVersion: 1 }) +
        frame(2, 'session/new', { cwd: agent.cwd, mcpServers: [] }),
    );
    const { result } = await agent.until(({ id, method }) => id === 2 && !method);
    expect(result?.['sessionId']).toBeTypeOf('string');
    expect(agent.messages().map(({ id }) => id)[0]).toBe(1);
  });
});

describe('what a model may send wrong', () => {
  test.each<[string, string[], string]>([
    ['arguments that are not JSON', call('edit', '{"path": "a'), 'are not valid JSON'],
    ['arguments that are a list', call('read', '[1]'), 'do not fit'],
    ['a missing parameter', call('read', '{}'), '`path`'],
    ['a parameter that is not known', call('read', { path: 'a', mode: 'x' }), 'mode'],
    ['a tool that does not exist', call('teleport', {}), 'Unknown tool `teleport`. Known: read'],
    ['a call without a name', call('', {}), 'Unknown tool ``'],
  ])('%s is an error result, and the turn goes on', async (_, chunks, words) => {
    const sessionId = await open();
    server.enqueue(chunks, answer({ text: 'I see.' }));
    const { result } = await agent.prompt(sessionId, 'Go');
    expect(result?.['stopReason']).toBe('end_turn');
    const failed = agent.log().find(({ type }) => type === 'tool/result');
    expect(failed).toMatchObject({ isError: true });
    expect(JSON.stringify(failed)).toContain(words.replaceAll('"', '\\"'));
    checkCalls(agent.log());
  });

  test.each<[string, { chunks: string[]; end?: 'reset' }]>([
    ['ends in the middle of a call', { chunks: call('bash', { command: 'touch x' }).slice(0, 2) }],
    [
      'is reset in the middle of a call',
      { chunks: call('bash', { command: 'touch x' }).slice(0, 2), end: 'reset' },
    ],
    ['ends in the middle of a text', { chunks: [chunk({ content: 'Half an ans' })] }],
  ])('a stream that %s fails the turn, runs nothing, and keeps the text', async (_, response) => {
    const sessionId = await open();
    server.enqueue(response, response);
    const { error } = await agent.prompt(sessionId, 'Go');
    expect(error?.code).toBe(-32603);
    expect(error?.message).toMatch(/broke off|stream/);
    const events = agent.log();
    expect(events.filter(({ type }) => type === 'tool/call')).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'turn/end', stopReason: 'failed' });
    if (response.chunks.length === 1) {
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'assistant/message', text: 'Half an ans', partial: true }),
      );
    }
    checkTurns(events);
    await answersStill(sessionId);
  });
});

test('a second prompt on one session is refused, and the first is not disturbed', async () => {
  const sessionId = await open();
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  server.enqueue({ chunks: answer({ text: 'First.' }), gate });
  const first = agent.prompt(sessionId, 'One');
  const { error } = await agent.prompt(sessionId, 'Two');
  expect(error).toMatchObject({ code: -32600 });
  expect(error?.message).toContain('already running');
  release();
  expect((await first).result?.['stopReason']).toBe('end_turn');
  expect(agent.log().filter(({ type }) => type === 'user/message')).toHaveLength(1);
});

test('two sessions of one process run side by side and see nothing of each other', async () => {
  const one = await open();
  const two = await agent.newSession();
  await agent.request('session/set_mode', { sessionId: one, modeId: 'plan' });
  server.enqueue(answer({ text: 'To one.' }), answer({ text: 'To two.' }));
  await Promise.all([agent.prompt(one, 'I am one'), agent.prompt(two, 'I am two')]);
  const modes = agent.messages().flatMap((message) => {
    const sent = update(message);
    return sent?.['sessionUpdate'] === 'current_mode_update' ? [message.params?.['sessionId']] : [];
  });
  expect(modes).toEqual([one]);
  const bodies = server.requests.slice(-2).map(({ body }) => body);
  const ofOne = bodies.find(({ messages }) => messages.at(-1)?.content === 'I am one');
  const ofTwo = bodies.find(({ messages }) => messages.at(-1)?.content === 'I am two');
  expect(ofOne?.messages).toHaveLength(2);
  expect(ofTwo?.messages).toHaveLength(2);
  expect(ofOne?.messages[0]?.content).toContain('plan mode');
  expect(ofTwo?.messages[0]?.content).not.toContain('plan mode');
});

test('a prompt without a key answers auth_required with the way out; nothing is logged', async () => {
  const sessionId = await open({ OPENAI_API_KEY: '' });
  const { error } = await agent.prompt(sessionId, 'Hello');
  expect(error?.code).toBe(-32000);
  expect(error?.message).toContain('OPENAI_API_KEY is not set');
  expect(agent.log()).toHaveLength(1);
});

test('stdout carries frames only, and the key is in no log, error or child environment', async () => {
  const sessionId = await open({ PLANFOLD_OTHER: KEY });
  const refusal = { error: { message: `Incorrect API key provided: ${KEY}` } };
  server.enqueue(call('bash', { command: 'env; echo "[$OPENAI_API_KEY]"' }), {
    status: 401,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify(refusal)],
  });
  const { error } = await agent.prompt(sessionId, 'Go');
  expect(error?.code).toBe(-32000);
  expect(error?.message).toContain('Incorrect API key');
  expect(agent.lines.every((line) => JSON.parse(line).jsonrpc === '2.0')).toBe(true);
  expect(agent.lines.join('\n')).not.toContain(KEY);
  const log = JSON.stringify(agent.log());
  expect(log).not.toContain(KEY);
  expect(log).toContain('[]');
});
