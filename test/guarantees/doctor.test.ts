import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configure } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';

const BINARY = new URL('../../bin/planfold.js', import.meta.url).pathname;
const KEY = 'sk-doctor-and-never-shown';

let server: ModelServer;
let home: string;
beforeEach(async () => {
  server = await startModelServer(() => answer({ text: 'Ready.' }));
  home = mkdtempSync(join(tmpdir(), 'planfold-doctor-'));
});
afterEach(() => server.close());

function doctor(env: NodeJS.ProcessEnv = {}): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [BINARY, 'doctor'], {
    cwd: home,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      PLANFOLD_HOME: join(home, 'data'),
      XDG_CONFIG_HOME: join(home, 'config'),
      OPENAI_API_KEY: KEY,
      OPENAI_BASE_URL: server.url,
      PLANFOLD_MODEL: 'test-model',
      ...env,
    },
  });
  let text = '';
  child.stdout.on('data', (piece) => (text += String(piece)));
  child.stderr.on('data', (piece) => (text += String(piece)));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}

test('where everything works it says so, and never shows the key', async () => {
  configure(home, { sandbox: { backend: 'none' }, limits: { stepsMax: 5 } });
  const { code, text } = await doctor();
  expect(text).toContain('sets limits.stepsMax, sandbox.backend');
  expect(text).toContain('Key for custom: there');
  expect(text).toContain('lists 1 models, custom/test-model among them');
  expect(text).toContain('custom/test-model answers: "Ready."');
  expect(text).toContain('Everything works.');
  expect(text).not.toContain(KEY);
  expect(code).toBe(0);
});

test.each<[string, NodeJS.ProcessEnv, RegExp]>([
  ['no key', { OPENAI_API_KEY: '' }, /✗ No API key: OPENAI_API_KEY is not set/],
  ['nobody there', { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }, /✗ The model endpoint .* reached/],
  ['no URL', { OPENAI_BASE_URL: 'nonsense' }, /✗ OPENAI_BASE_URL is "nonsense"/],
  [
    'nowhere to write',
    { PLANFOLD_HOME: '/etc/hostname/data' },
    /✗ Data directory .*PLANFOLD_HOME/s,
  ],
])('%s: what is wrong, and what to do', async (_, env, words) => {
  configure(home, { sandbox: { backend: 'none' } });
  const { code, text } = await doctor(env);
  expect(text).toMatch(words);
  expect(code).toBe(1);
});

test('a project that oversteps is told of, a file that is broken as well', async () => {
  mkdirSync(join(home, '.planfold'));
  const project = join(home, '.planfold', 'config.json');
  writeFileSync(project, JSON.stringify({ options: { sandbox: 'off' } }));
  expect((await doctor()).text).toContain('`options.sandbox` does not count');
  writeFileSync(project, '{');
  expect((await doctor()).text).toContain('not JSON');
});
