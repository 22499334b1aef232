import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foldMode } from '../../src/log/folds.ts';
import { findLog } from '../../src/session/library.ts';
import { checkCalls, checkTurns } from '../harness/invariants.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { type StdioAgent, startStdio } from '../harness/stdio.ts';
import { isAlive, MIDWAY } from './states.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const LEAVE_MS = 2000;

/** Fails when the agent is still there after the time it has to leave in. */
async function left(agent: StdioAgent): Promise<{ code: number | null }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('still there after 2 s')), LEAVE_MS);
  });
  const exit = await Promise.race([agent.exited, late]);
  clearTimeout(timer);
  return exit;
}

const ways: [string, (agent: StdioAgent) => void][] = [
  ['stdin is closed', (agent) => agent.child.stdin?.end()],
  ['SIGTERM comes', (agent) => void agent.child.kill('SIGTERM')],
  [
    'the client is gone with both pipes',
    (agent) => {
      agent.child.stdout?.destroy();
      agent.child.stdin?.destroy();
    },
  ],
];

describe.each(ways)('when %s', (_, leave) => {
  test.each(MIDWAY)('$name: it leaves, with nothing behind it', async ({ mode, reach }) => {
    const agent = startStdio({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: server.url });
    await agent.initialize({ elicitation: { form: {} } });
    const sessionId = await agent.newSession();
    const { pids } = await reach(agent, sessionId, server);
    leave(agent);
    expect(await left(agent)).toMatchObject({ code: 0 });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(join(agent.cwd, 'never'))).toBe(false);
    const events = agent.log();
    checkTurns(events);
    checkCalls(events);
    expect(events.at(-1)).toMatchObject({ type: 'turn/end', stopReason: 'cancelled' });
    expect(foldMode(events)).toBe(mode);
  });

  test('while nothing runs: it leaves', async () => {
    const agent = startStdio();
    await agent.initialize();
    leave(agent);
    expect(await left(agent)).toMatchObject({ code: 0 });
  });
});

test('requests that were sent before stdin was closed are answered', async () => {
  const agent = startStdio();
  const frame = (id: number, method: string, params: unknown) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
  agent.child.stdin?.end(
    frame(1, 'initialize', { protocolVersion: 1 }) +
      frame(2, 'session/new', { cwd: agent.cwd, mcpServers: [] }),
  );
  await left(agent);
  expect(agent.messages().map(({ id }) => id)).toEqual(expect.arrayContaining([1, 2]));
});

test('while a long log is loaded: it leaves all the same', async () => {
  const agent = startStdio();
  await agent.initialize();
  const sessionId = await agent.newSession();
  await agent.request('session/close', { sessionId });
  const path = findLog(agent.dataDir, sessionId);
  const fd = openSync(path, 'a');
  const time = '2026-01-01T00:00:00.000Z';
  for (let seq = 2; seq <= 400_000; seq++) {
    const title = `Title ${seq}`;
    writeSync(
      fd,
      `${JSON.stringify({ seq, time, type: 'session/title', title, source: 'user' })}\n`,
    );
  }
  closeSync(fd);
  const params = { sessionId, cwd: agent.cwd, mcpServers: [] };
  void agent.request('session/load', params);
  await agent.until((message) => JSON.stringify(message).includes('Title 1000'));
  agent.child.stdin?.end();
  expect(await left(agent)).toMatchObject({ code: 0 });
});
