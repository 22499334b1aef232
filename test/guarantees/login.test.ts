import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';
import { startStdio } from '../harness/stdio.ts';

const BINARY = new URL('../../bin/planfold.js', import.meta.url).pathname;
const KEY = 'sk-stored-and-never-shown';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

function planfold(home: string, args: string[], input = '') {
  const env = {
    PATH: process.env['PATH'],
    XDG_CONFIG_HOME: join(home, 'config'),
    OPENAI_BASE_URL: server.url,
  };
  return spawnSync(process.execPath, [BINARY, ...args], { env, input, encoding: 'utf8' });
}

test('a prompt without a key says the ways to one; after a login it is answered', async () => {
  const agent = startStdio({
    OPENAI_API_KEY: '',
    OPENAI_BASE_URL: server.url,
    PLANFOLD_MODEL: 'm',
  });
  const { result } = await agent.initialize({ auth: { terminal: true } });
  expect(result?.['authMethods']).toMatchObject([
    { id: 'environment' },
    { id: 'login', type: 'terminal', args: ['login'] },
  ]);
  const sessionId = await agent.newSession();
  const refused = await agent.prompt(sessionId, 'Hi');
  expect(refused.error?.code).toBe(-32000);
  expect(refused.error?.message).toContain('planfold login');
  const early = await agent.request('authenticate', { methodId: 'environment' });
  expect(early.error?.code).toBe(-32000);
  expect((await agent.request('authenticate', { methodId: 'x' })).error?.code).toBe(-32602);

  // The editor appends the words of the method to the command it starts the agent with.
  const stored = planfold(agent.home, ['acp', 'login'], `${KEY}\n`);
  expect(stored.status).toBe(0);
  expect(stored.stdout + stored.stderr).not.toContain(KEY);
  const path = join(agent.home, 'config', 'planfold', 'credentials.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ custom: KEY });

  expect((await agent.request('authenticate', { methodId: 'environment' })).result).toEqual({});
  server.enqueue(answer({ text: 'Hello.' }));
  expect((await agent.prompt(sessionId, 'Hi')).result).toMatchObject({ stopReason: 'end_turn' });
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);

  expect((await agent.request('logout', {})).result).toEqual({});
  expect((await agent.prompt(sessionId, 'Hi')).error?.code).toBe(-32000);
  agent.child.stdin?.end();
  await agent.exited;
});

test('a client that runs no terminal is not offered one', async () => {
  const agent = startStdio({ OPENAI_API_KEY: 'k' });
  const { result } = await agent.initialize({});
  expect(result?.['authMethods']).toMatchObject([{ id: 'environment' }]);
  agent.child.stdin?.end();
  await agent.exited;
});

test('a key is stored for a provider by name, and one that is none is refused', () => {
  const home = mkdtempSync(join(tmpdir(), 'planfold-login-'));
  expect(planfold(home, ['login', 'deepseek'], KEY).status).toBe(0);
  expect(planfold(home, ['login', 'deepseek'], ' \n').stderr).toContain('No key was given');
  expect(planfold(home, ['login', 'deepseek'], 'a b').stderr).toContain('nothing was stored');
  const path = join(home, 'config', 'planfold', 'credentials.json');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ deepseek: KEY });
  expect(planfold(home, ['logout', 'deepseek']).status).toBe(0);
  expect(() => statSync(path)).toThrow();
  writeFileSync(path, 'damaged');
  const damaged = planfold(home, ['login'], KEY);
  expect(damaged.status).toBe(1);
  expect(damaged.stderr).toContain('credentials.json cannot be read');
});
