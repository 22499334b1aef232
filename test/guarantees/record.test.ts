import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';
import { permit, type StdioAgent, startStdio } from '../harness/stdio.ts';

const KEY = 'sk-recorded-nowhere';

async function talk(agent: StdioAgent): Promise<unknown[]> {
  agent.answerWith(permit());
  await agent.initialize();
  const sessionId = await agent.newSession();
  const { result } = await agent.prompt(sessionId, 'Look around');
  expect(result?.['stopReason']).toBe('end_turn');
  agent.child.stdin?.end();
  await agent.exited;
  return agent.log().flatMap((event) => (event.type === 'assistant/message' ? [event.text] : []));
}

test('a session recorded against a server is replayed elsewhere without one and without a key', async () => {
  const server = await startModelServer();
  server.enqueue(call('bash', { command: 'pwd' }), answer({ text: 'Nothing here.' }));
  const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.url, PLANFOLD_MODEL: 'replay' };
  const recorded = startStdio(env, (cwd) => ['--record', join(cwd, 'recording')]);
  const texts = await talk(recorded);
  await server.close();

  const text = readFileSync(join(recorded.cwd, 'recording', 'model.jsonl'), 'utf8');
  expect(text.split('\n')[0]).toBe('{"origin":"recorded"}');
  expect(text).toContain('{{cwd}}');
  expect(text).not.toContain(recorded.cwd);
  expect(text).not.toContain(KEY);

  const args = () => ['--replay', join(recorded.cwd, 'recording')];
  const replayed = startStdio({ OPENAI_API_KEY: '', OPENAI_BASE_URL: '' }, args);
  expect(await talk(replayed)).toEqual(texts);
});

test('a recording that differs is named at the first difference', async () => {
  const directory = new URL('../../recordings/default-only', import.meta.url).pathname;
  const agent = startStdio({}, () => ['--replay', directory]);
  await agent.initialize();
  const sessionId = await agent.newSession();
  const { error } = await agent.prompt(sessionId, 'What does greet.ts do?');
  expect(error?.message).toMatch(/Request 1 differs .*`messages\[1\]\.content`/);
  agent.child.stdin?.end();
  await agent.exited;
});
