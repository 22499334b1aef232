import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;

let home: string;
/** An installation of its own, without any code that is kept. */
let installed: string;
let cache: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'planfold-code-'));
  installed = join(home, 'planfold');
  cache = join(installed, 'dist/code');
  const filter = (path: string) => !path.endsWith('dist/code');
  for (const name of ['bin', 'dist']) {
    cpSync(join(ROOT, name), join(installed, name), { recursive: true, filter });
  }
});

const start = (args: string[], options: SpawnSyncOptions = {}) =>
  spawnSync(process.execPath, args, { encoding: 'utf8', ...options });

/** The place beside the program will not do: an installation of somebody else, or read-only. */
function useHome(): void {
  writeFileSync(cache, '');
  cache = join(home, '.cache/planfold');
}

/** Starts an agent, opens a session and leaves: that all was well. */
function open({ env = {}, flags = [] }: { env?: NodeJS.ProcessEnv; flags?: string[] } = {}) {
  const frames = [
    { id: 1, method: 'initialize', params: { protocolVersion: 1 } },
    { id: 2, method: 'session/new', params: { cwd: home, mcpServers: [] } },
  ].map((frame) => `${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
  const { stdout, stderr, status } = start([...flags, join(installed, 'bin/planfold.js'), 'acp'], {
    input: frames.join(''),
    env: { PATH: process.env['PATH'], HOME: home, PLANFOLD_HOME: join(home, 'data'), ...env },
  });
  const answers = String(stdout)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ id }) => id !== undefined);
  expect(answers).toMatchObject([{ id: 1 }, { id: 2, result: { sessionId: expect.any(String) } }]);
  expect([status, stderr]).toEqual([0, '']);
}

/** The code that is kept, by name, with its time and content. */
function kept(): Map<string, string> {
  const names = readdirSync(cache).filter((name) => name.endsWith('.js'));
  return new Map(
    names.map((name) => {
      const path = join(cache, name);
      return [name, `${statSync(path).mtimeMs} ${readFileSync(path).toString('base64')}`];
    }),
  );
}

function core(): string {
  return join(cache, [...kept().keys()].find((name) => name.endsWith('-core.js')) ?? '');
}

test('the first start keeps its code, and the next one takes it', () => {
  open();
  const first = kept();
  expect([...first.keys()]).toContainEqual(
    expect.stringMatching(
      new RegExp(`^[0-9a-f]{16}-${process.version}-${process.arch}-\\d+-\\d+-core\\.js$`),
    ),
  );
  open();
  expect(kept()).toEqual(first);
});

test('what a short command did not need is added by the first agent, and stays', () => {
  const short = () => start([join(installed, 'bin/planfold.js'), '--version'], { env: {} });
  expect(short().status).toBe(0);
  const few = readFileSync(core()).length;
  open();
  const many = readFileSync(core()).length;
  expect(many).toBeGreaterThan(few);
  short();
  expect(readFileSync(core()).length).toBe(many);
});

test.each([
  ['nothing', () => Buffer.alloc(0)],
  ['something else', () => Buffer.from('not code at all '.repeat(1000))],
  ['half of it', (good: Buffer) => good.subarray(0, good.length / 2)],
  [
    'damage inside',
    (good: Buffer) => {
      const bad = Buffer.from(good);
      for (let at = 100; at < bad.length; at += 500) bad[at] = 255 - (bad[at] ?? 0);
      return bad;
    },
  ],
])('code that is damaged (%s) is made anew', (_, damage) => {
  open();
  const path = core();
  const good = readFileSync(path);
  writeFileSync(path, damage(good));
  open();
  // The digest fits again.
  expect(readFileSync(path).length).toBeGreaterThan(good.length / 2 + 1);
  const mended = kept();
  open();
  expect(kept()).toEqual(mended);
});

test('what V8 rejects is made anew: it was compiled with other flags', () => {
  open({ flags: ['--no-opt'] });
  const before = kept();
  open();
  expect(kept()).not.toEqual(before);
});

test('another build has its own', () => {
  open();
  const program = join(installed, 'dist/planfold.cjs');
  const text = readFileSync(program, 'utf8');
  const build = /"([0-9a-f]{16})"/.exec(text)?.[1] ?? '';
  expect(core()).toContain(build);
  const before = kept();
  writeFileSync(program, text.replace(build, 'f'.repeat(16)));
  open();
  expect([...kept().keys()].some((name) => name.startsWith('f'.repeat(16)))).toBe(true);
  for (const [name, content] of before) expect(kept().get(name)).toBe(content);
});

test('what somebody else could have written is not run, and not written over', () => {
  open();
  const path = core();
  writeFileSync(path, 'planted');
  chmodSync(cache, 0o777);
  open();
  expect(readFileSync(path, 'utf8')).toBe('planted');
});

test('a link in its place is not followed', () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'planfold-elsewhere-'));
  symlinkSync(elsewhere, cache);
  open();
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('where the installation takes nothing, the cache of the person does', () => {
  useHome();
  open();
  const first = kept();
  expect(first.size).toBeGreaterThan(0);
  open();
  expect(kept()).toEqual(first);
});

test.each([
  ['is a file', () => writeFileSync(join(home, '.cache'), '')],
  ['is read-only', () => mkdirSync(join(home, '.cache'), { mode: 0o500 })],
])('a cache directory that %s is done without', (_, make) => {
  useHome();
  make();
  open();
});

test('a home that is not there is done without', () => {
  useHome();
  open({ env: { HOME: join(home, 'missing/below') } });
  open({ env: { HOME: '/proc/self/nowhere' } });
});
