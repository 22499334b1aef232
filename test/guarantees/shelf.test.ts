import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findLog, logFiles } from '../../src/session/library.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';
import { type StdioAgent, startStdio } from '../harness/stdio.ts';

let server: ModelServer;
let agent: StdioAgent;
beforeEach(async () => {
  server = await startModelServer(() => answer({ text: 'Yes.' }));
  agent = startStdio({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: server.url });
  await agent.initialize();
});
afterEach(async () => {
  agent.child.stdin?.end();
  await agent.exited;
  await server.close();
});

type Listed = { sessionId: string; cwd: string; title?: string; updatedAt: string };

async function list(params: object) {
  const { result, error } = await agent.request('session/list', params);
  const sessions = (result?.['sessions'] ?? []) as Listed[];
  return {
    sessions,
    ids: sessions.map((one) => one.sessionId),
    cursor: result?.['nextCursor'],
    error,
  };
}

test('list: newest first, in pages, with titles, by directory', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 55; count++) ids.unshift(await agent.newSession());
  await agent.prompt(ids[0] ?? '', 'Rename the\nthing, please');
  const elsewhere = await agent.request('session/new', { cwd: agent.home, mcpServers: [] });
  const other = String(elsewhere.result?.['sessionId']);

  const first = await list({});
  expect(first.ids).toEqual([other, ...ids].slice(0, 50));
  const second = await list({ cursor: first.cursor });
  expect([...first.ids, ...second.ids]).toEqual([other, ...ids]);
  expect(second.cursor).toBeUndefined();
  expect((await list({ cwd: agent.home })).ids).toEqual([other]);
  expect((await list({ cwd: '/nowhere' })).ids).toEqual([]);
  expect(first.sessions[1]).toMatchObject({ title: 'Rename the thing, please', cwd: agent.cwd });
  expect(first.sessions[2]?.title).toBeUndefined();
  expect((await list({ cursor: '../../x' })).error?.code).toBe(-32602);
});

test('close in the middle of a turn cancels it, frees the session, and is silent afterwards', async () => {
  const sessionId = await agent.newSession();
  server.enqueue({ chunks: [], end: 'hang' });
  const prompted = agent.prompt(sessionId, 'Go');
  await agent.until(({ method }) => method === 'session/update');
  expect((await agent.request('session/close', { sessionId })).result).toEqual({});
  expect((await prompted).result?.['stopReason']).toBe('cancelled');
  expect((await agent.prompt(sessionId, 'Hello?')).error?.code).toBe(-32002);
  expect((await agent.request('session/close', { sessionId })).result).toEqual({});
  const last = agent.messages().findLastIndex(({ method }) => method === 'session/update');
  const closed = agent
    .messages()
    .findIndex(({ result }) => result && Object.keys(result).length === 0);
  expect(last).toBeLessThan(closed);
});

test('delete of an open session stops it and removes what belongs to it; twice is fine', async () => {
  const sessionId = await agent.newSession();
  const path = findLog(agent.dataDir, sessionId);
  expect((await agent.request('session/delete', { sessionId })).result).toEqual({});
  expect(existsSync(path)).toBe(false);
  expect(existsSync(`${path}.lock`)).toBe(false);
  expect((await agent.request('session/delete', { sessionId })).result).toEqual({});
  expect([...logFiles(agent.dataDir).keys()]).toEqual([]);
});

test.each(['session/load', 'session/resume', 'session/fork'])(
  '%s of an unknown id: -32002',
  async (method) => {
    for (const sessionId of ['0000000000', '../../etc/passwd', '']) {
      const { error } = await agent.request(method, { sessionId, cwd: agent.cwd, mcpServers: [] });
      expect(error?.code).toBe(-32002);
    }
  },
);

test.each(['session/set_mode', 'session/prompt'])(
  '%s where nothing is open: -32002',
  async (method) => {
    const { error } = await agent.request(method, { sessionId: 'x', modeId: 'plan', prompt: [] });
    expect(error?.code).toBe(-32002);
    expect(error?.message).toContain('`x`');
  },
);

test('load of a session that is open here reads it anew; in the middle of a turn it is refused', async () => {
  const sessionId = await agent.newSession();
  await agent.prompt(sessionId, 'Hello');
  const params = { sessionId, cwd: agent.cwd, mcpServers: [] };
  expect((await agent.request('session/load', params)).result).toBeDefined();
  expect((await agent.prompt(sessionId, 'Again')).result?.['stopReason']).toBe('end_turn');
  server.enqueue({ chunks: [], end: 'hang' });
  const prompted = agent.prompt(sessionId, 'Go');
  expect((await agent.request('session/load', params)).error?.code).toBe(-32600);
  agent.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } });
  await prompted;
});

test('a load that is refused for what it asks leaves the open session as it is', async () => {
  const sessionId = await agent.newSession();
  for (const cwd of ['here', '/no/where']) {
    const { error } = await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(error?.code).toBe(-32602);
  }
  expect((await agent.prompt(sessionId, 'Still there?')).result?.['stopReason']).toBe('end_turn');
});

test('a log that was refused is not held by this process afterwards', async () => {
  const sessionId = await agent.newSession();
  await agent.request('session/close', { sessionId });
  const path = findLog(agent.dataDir, sessionId);
  const whole = readFileSync(path);
  writeFileSync(path, `nonsense\n${whole.toString()}`);
  const params = { sessionId, cwd: agent.cwd, mcpServers: [] };
  expect((await agent.request('session/load', params)).error?.message).toContain('line 1');
  expect(existsSync(`${path}.lock`)).toBe(false);
  writeFileSync(path, whole);
  expect((await agent.request('session/load', params)).result).toBeDefined();
});
