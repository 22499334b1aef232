import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { findLog } from '../../src/session/library.ts';
import { type StdioAgent, startStdio } from '../harness/stdio.ts';

const agents: StdioAgent[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) {
    agent.child.kill('SIGKILL');
    await agent.exited;
  }
});

async function start(home?: string): Promise<StdioAgent> {
  const agent = startStdio({}, undefined, home === undefined ? {} : { home });
  agents.push(agent);
  await agent.initialize();
  return agent;
}

function load(agent: StdioAgent, sessionId: string) {
  return agent.request('session/load', { sessionId, cwd: agent.cwd, mcpServers: [] });
}

test('a second process is refused, with the holder named and a fork offered', async () => {
  const first = await start();
  const sessionId = await first.newSession();
  const second = await start(first.home);
  for (const method of ['session/load', 'session/resume', 'session/delete']) {
    const params = { sessionId, cwd: second.cwd, mcpServers: [] };
    const { error } = await second.request(method, params);
    expect(error?.message).toContain(`process ${first.child.pid}`);
    expect(error?.message).toContain('fork');
  }
  const params = { sessionId, cwd: second.cwd, mcpServers: [] };
  expect((await second.request('session/fork', params)).result).toBeDefined();
  expect(existsSync(findLog(first.dataDir, sessionId))).toBe(true);
});

test('after SIGKILL of the first, the second takes over at once', async () => {
  const first = await start();
  const sessionId = await first.newSession();
  const second = await start(first.home);
  expect((await load(second, sessionId)).error).toBeDefined();
  first.child.kill('SIGKILL');
  await first.exited;
  expect((await load(second, sessionId)).result).toBeDefined();
});

test('a closed session is free for another process', async () => {
  const first = await start();
  const sessionId = await first.newSession();
  const second = await start(first.home);
  await first.request('session/close', { sessionId });
  expect((await load(second, sessionId)).result).toBeDefined();
});

test('a lock whose pid belongs to another process by now is taken over', async () => {
  const first = await start();
  const sessionId = await first.newSession();
  const lock = `${findLog(first.dataDir, sessionId)}.lock`;
  const holder = JSON.parse(readFileSync(lock, 'utf8'));
  first.child.kill('SIGKILL');
  await first.exited;
  // The pid of this very process, which started at another time.
  writeFileSync(lock, JSON.stringify({ ...holder, pid: process.pid }));
  const second = await start(first.home);
  expect((await load(second, sessionId)).result).toBeDefined();
});

test.each(['', 'nonsense', '{"pid":"x"}'])('a lock file of %j locks nothing', async (text) => {
  const first = await start();
  const sessionId = await first.newSession();
  first.child.kill('SIGKILL');
  await first.exited;
  writeFileSync(`${findLog(first.dataDir, sessionId)}.lock`, text);
  const second = await start(first.home);
  expect((await load(second, sessionId)).result).toBeDefined();
});

test('the lock of another machine is believed, and how to end it is told', async () => {
  const first = await start();
  const sessionId = await first.newSession();
  const lock = `${findLog(first.dataDir, sessionId)}.lock`;
  const holder = JSON.parse(readFileSync(lock, 'utf8'));
  first.child.kill('SIGKILL');
  await first.exited;
  writeFileSync(lock, JSON.stringify({ ...holder, host: 'elsewhere' }));
  const second = await start(first.home);
  const { error } = await load(second, sessionId);
  expect(error?.message).toContain('on elsewhere');
  expect(error?.message).toContain(`remove ${lock}`);
});
