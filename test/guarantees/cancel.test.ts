import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { foldMode } from '../../src/log/folds.ts';
import { checkCalls, checkTurns } from '../harness/invariants.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';
import { type Message, type StdioAgent, startStdio } from '../harness/stdio.ts';
import { isAlive, MIDWAY } from './states.ts';

let server: ModelServer;
let agent: StdioAgent;
// A script of its own for each: a cancelled turn may leave a part of its script unasked for.
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(async () => {
  agent.child.kill('SIGKILL');
  await agent.exited;
  await server.close();
});

async function openSession(): Promise<string> {
  agent = startStdio({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: server.url });
  await agent.initialize({ elicitation: { form: {} } });
  return agent.newSession();
}

const cancelled = (sessionId: string) => ({
  jsonrpc: '2.0',
  method: 'session/cancel',
  params: { sessionId },
});

describe.each(MIDWAY)('cancelled $name', ({ mode, reach }) => {
  test('the prompt answers cancelled, nothing is left, and the next one works', async () => {
    const sessionId = await openSession();
    const { prompted, pids } = await reach(agent, sessionId, server);
    agent.send(cancelled(sessionId));
    const answered = await prompted;
    expect(answered).toMatchObject({ result: { stopReason: 'cancelled' } });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(join(agent.cwd, 'never'))).toBe(false);
    expectWithdrawn(agent.messages());

    const events = agent.log();
    expect(events.at(-1)).toMatchObject({ type: 'turn/end', stopReason: 'cancelled' });
    checkTurns(events);
    checkCalls(events);
    for (const event of events) {
      if (event.type === 'tool/result')
        expect(JSON.stringify(event)).toContain('ancelled by the user');
    }
    expect(foldMode(events)).toBe(mode);

    server.enqueue(answer({ text: 'Here again.' }));
    const next = await agent.prompt(sessionId, 'And now?');
    expect(next.result?.['stopReason']).toBe('end_turn');
    const names = server.requests.at(-1)?.body.tools?.map((tool) => tool.function.name);
    expect(names?.includes('exit_plan_mode')).toBe(mode === 'plan');
  });
});

test('the text that was shown before a cancellation is kept as partial', async () => {
  const sessionId = await openSession();
  const midStream = MIDWAY.find(({ name }) => name.includes('stream'));
  const { prompted } = (await midStream?.reach(agent, sessionId, server)) ?? {};
  agent.send(cancelled(sessionId));
  await prompted;
  expect(agent.log()).toContainEqual(
    expect.objectContaining({ text: 'Half a sent', partial: true, finish: 'cancelled', calls: [] }),
  );
});

test('$/cancel_request on the prompt cancels it as well', async () => {
  const sessionId = await openSession();
  server.enqueue({ chunks: [], end: 'hang' });
  const params = { sessionId, prompt: [{ type: 'text', text: 'Go' }] };
  agent.send({ jsonrpc: '2.0', id: 'mine', method: 'session/prompt', params });
  await agent.until((message) => message.method === 'session/update');
  agent.send({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 'mine' } });
  const { result } = await agent.until(({ id, method }) => id === 'mine' && !method);
  expect(result?.['stopReason']).toBe('cancelled');
});

test('a cancel right behind its prompt is not lost', async () => {
  const sessionId = await openSession();
  server.enqueue({ chunks: [], end: 'hang' });
  const params = { sessionId, prompt: [{ type: 'text', text: 'Go' }] };
  const prompt = { jsonrpc: '2.0', id: 'mine', method: 'session/prompt', params };
  agent.sendRaw(`${JSON.stringify(prompt)}\n${JSON.stringify(cancelled(sessionId))}\n`);
  const { result } = await agent.until(({ id, method }) => id === 'mine' && !method);
  expect(result?.['stopReason']).toBe('cancelled');
});

test('an approval that comes after the cancellation does not count', async () => {
  const sessionId = await openSession();
  const review = MIDWAY.find(({ name }) => name.includes('reviewed'));
  const { prompted } = (await review?.reach(agent, sessionId, server)) ?? {};
  const asked = await agent.until(({ method }) => method === 'elicitation/create');
  const approval = { action: 'accept', content: { decision: 'approve' } };
  const late = { jsonrpc: '2.0', id: asked.id, result: approval };
  agent.sendRaw(`${JSON.stringify(cancelled(sessionId))}\n${JSON.stringify(late)}\n`);
  expect((await prompted)?.result?.['stopReason']).toBe('cancelled');
  expect(foldMode(agent.log())).toBe('plan');
});

test('cancelling where nothing runs does nothing', async () => {
  const sessionId = await openSession();
  agent.send(cancelled(sessionId));
  agent.send(cancelled('no-such-session'));
  server.enqueue(answer({ text: 'Yes?' }));
  expect((await agent.prompt(sessionId, 'Hello')).result?.['stopReason']).toBe('end_turn');
});

// A question that nobody needs an answer to any more is taken back.
function expectWithdrawn(messages: Message[]): void {
  const questions = messages.filter(({ id, method }) => id !== undefined && method !== undefined);
  const open = questions.filter(({ method }) => method !== 'session/request_permission');
  const withdrawn = messages.filter(({ method }) => method === '$/cancel_request');
  expect(withdrawn.length).toBeGreaterThanOrEqual(open.length);
}
