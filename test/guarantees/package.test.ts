import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { environmentFor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { type Installed, installPacked } from '../harness/packed.ts';
import { answer } from '../harness/sse.ts';
import { startStdio } from '../harness/stdio.ts';

const UNPACKED_BYTES_MAX = 3_000_000;

let installed: Installed;
let server: ModelServer;
beforeAll(async () => {
  installed = installPacked();
  server = await startModelServer(() => answer({ text: 'Yes.' }));
});
afterAll(() => server.close());

const read = (path: string) => readFileSync(join(installed.root, path), 'utf8');

/** Runs what was installed as a stranger does, with a home that is empty. */
function npx(...args: string[]) {
  const home = mkdtempSync(join(installed.project, 'home-'));
  const env = { ...environmentFor(home, server), npm_config_offline: 'true' };
  const child = spawn('npx', ['planfold', ...args], { cwd: installed.project, env });
  child.stdin.end();
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (piece) => (stdout += String(piece)));
  child.stderr.on('data', (piece) => (stderr += String(piece)));
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr })),
  );
}

test('it is small, and has what a package has to have', () => {
  const { files, unpackedSize } = installed.packed;
  expect(unpackedSize).toBeLessThanOrEqual(UNPACKED_BYTES_MAX);
  const paths = files.map(({ path }) => path);
  for (const path of ['LICENSE', 'CHANGELOG.md', 'README.md', 'dist/config.schema.json']) {
    expect(paths).toContain(path);
  }
  const folders = new Set(paths.flatMap((path) => (path.includes('/') ? path.split('/')[0] : [])));
  expect([...folders].toSorted()).toEqual(['bin', 'dist', 'recordings']);
});

test('nothing else is installed with it', () => {
  expect(JSON.parse(read('package.json'))).not.toHaveProperty('dependencies');
  const there = readdirSync(join(installed.project, 'node_modules'));
  expect(there.filter((name) => !name.startsWith('.'))).toEqual(['planfold']);
});

test('every package that the sources import is named with its licence', () => {
  const licences = read('dist/THIRD_PARTY_LICENSES.txt');
  for (const name of ['@agentclientprotocol/sdk', '@modelcontextprotocol/client', 'zod']) {
    expect(licences).toMatch(new RegExp(`^${name}@\\d[^ ]* \\(.+\\)$`, 'm'));
  }
  const source = new URL('../../src', import.meta.url).pathname;
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const imported = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(join(source, file), 'utf8').matchAll(
        /^(?:import|export) (?!type).*from '((?:@[^/']+\/)?[^./'][^/']*)/gm,
      ),
    ])
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('node:'));
  expect(imported).toContain('commander');
  for (const name of imported) expect(licences).toContain(`${name}@`);
});

test('no licence text stands there twice', () => {
  const texts = read('dist/THIRD_PARTY_LICENSES.txt')
    .split(`\n${'-'.repeat(80)}\n\n`)
    .map((entry) => entry.slice(entry.indexOf('\n\n')));
  expect(texts.length).toBeGreaterThan(10);
  expect(new Set(texts).size).toBe(texts.length);
});

test('npx planfold --version', async () => {
  expect(await npx('--version')).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
});

test('npx planfold demo', async () => {
  const { code, stdout } = await npx('demo');
  expect(stdout).toContain('Review the plan: Greet without a name');
  const path = /^ {2}(\/.*\.jsonl)$/m.exec(stdout)?.[1] ?? '';
  expect(existsSync(path)).toBe(true);
  expect(code).toBe(0);
});

test('npx planfold run', async () => {
  expect(await npx('run', 'Are you there?')).toMatchObject({ code: 0, stdout: 'Yes.\n' });
});

test('planfold acp under a client, which is told the version', async () => {
  const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'k', PLANFOLD_MODEL: 'test-model' };
  const binary = join(installed.root, 'bin', 'planfold.js');
  const agent = startStdio(env, () => [], { binary });
  const { result } = await agent.initialize();
  expect(result?.['agentInfo']).toMatchObject({ name: 'planfold', version: manifest.version });
  const sessionId = await agent.newSession();
  expect((await agent.prompt(sessionId, 'Hi')).result).toMatchObject({ stopReason: 'end_turn' });
  agent.child.stdin?.end();
  expect((await agent.exited).code).toBe(0);
});

test('its own schema lies where the README says', () => {
  const printed = spawnSync(process.execPath, ['bin/planfold.js', 'config', '--schema'], {
    cwd: installed.root,
    encoding: 'utf8',
  });
  expect(read('dist/config.schema.json')).toBe(printed.stdout);
});
