import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call, chunk } from '../harness/sse.ts';
import { type Message, permit, type StdioAgent, startStdio, update } from '../harness/stdio.ts';

let server: ModelServer;
let agent: StdioAgent;
beforeEach(async () => {
  server = await startModelServer();
  agent = startStdio({
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: server.url,
    PLANFOLD_MODEL: 'test-model',
  });
  agent.answerWith(permit());
  await agent.initialize({});
});
afterEach(async () => {
  agent.child.stdin?.end();
  await agent.exited;
  await server.close();
});

const at = (match: (message: Message) => boolean) => agent.messages().findIndex(match);
const ofSession = (sessionId: string) => (message: Message) =>
  message.params?.['sessionId'] === sessionId;

describe('on the wire', () => {
  test('nothing is said of a session before the answer that names it', async () => {
    server.enqueue(answer({ text: 'Hello.' }));
    const sessionId = await agent.newSession();
    await agent.prompt(sessionId, 'Hi');
    const answered = at(({ result }) => result?.['sessionId'] === sessionId);
    expect(at(ofSession(sessionId))).toBeGreaterThan(answered);
    const { result } = await agent.request('session/fork', {
      sessionId,
      cwd: agent.cwd,
      mcpServers: [],
    });
    const fork = String(result?.['sessionId']);
    await agent.until((one) => ofSession(fork)(one));
    expect(at(ofSession(fork))).toBeGreaterThan(
      at((message) => message.result?.['sessionId'] === fork),
    );
  });

  test('every update of a prompt comes before its answer, the title and the usage too', async () => {
    server.enqueue(call('write', { path: 'a', content: 'a' }), answer({ text: 'Done.' }));
    const sessionId = await agent.newSession();
    const { id } = await agent.prompt(sessionId, 'Go');
    const answered = at((message) => message.id === id && message.method === undefined);
    // What would come late comes before the answer to a later request.
    await agent.request('session/list', {});
    const late = agent
      .messages()
      .slice(answered + 1)
      .filter(ofSession(sessionId));
    expect(late).toEqual([]);
    const kinds = agent.messages().flatMap((one) => update(one)?.['sessionUpdate'] ?? []);
    expect(kinds).toContain('session_info_update');
    expect(kinds).toContain('usage_update');
  });

  test('nothing is said of a session after the answer to its close', async () => {
    server.enqueue({ chunks: [chunk({ content: 'Half' })], end: 'hang' });
    const sessionId = await agent.newSession();
    const prompted = agent.prompt(sessionId, 'Go');
    await agent.until((message) => JSON.stringify(message).includes('Half'));
    const { id } = await agent.request('session/close', { sessionId });
    expect((await prompted).result).toMatchObject({ stopReason: 'cancelled' });
    await agent.request('session/list', {});
    const closed = at((message) => message.id === id);
    expect(
      agent
        .messages()
        .slice(closed + 1)
        .filter(ofSession(sessionId)),
    ).toEqual([]);
  });

  test('a client that can do nothing has a whole session: a plan, its review, an edit', async () => {
    const sessionId = await agent.newSession();
    await agent.request('session/set_mode', { sessionId, modeId: 'plan' });
    agent.answerWith(({ method, params }) => {
      if (method !== 'session/request_permission') return undefined;
      const options = params?.['options'] as { optionId: string; kind: string }[];
      const optionId = options.find(({ kind }) => kind === 'allow_once')?.optionId ?? '';
      return { result: { outcome: { outcome: 'selected', optionId } } };
    });
    writeFileSync(join(agent.cwd, 'a.txt'), 'one\n');
    server.enqueue(
      call('exit_plan_mode', { plan: '# A plan' }),
      call('edit', { path: 'a.txt', old_string: 'one', new_string: 'two' }),
      answer({ text: 'Done.' }),
    );
    const { result } = await agent.prompt(sessionId, 'Go');
    expect(result).toMatchObject({ stopReason: 'end_turn' });
    const asked = agent.messages().flatMap(({ method, id }) => (id === undefined ? [] : [method]));
    expect(new Set(asked.filter(Boolean))).toEqual(new Set(['session/request_permission']));
  });
});
