import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EMPTY_STATE } from '../../src/log/state.ts';
import { createRunCommand } from '../../src/sandbox/run.ts';
import { openDiskFiles } from '../../src/tools/disk.ts';
import { createGrepTool, grepTool } from '../../src/tools/grep.ts';
import { findProgram } from '../../src/sandbox/programs.ts';
import type { Tool } from '../../src/tools/tool.ts';

const repository = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-grep-')));
const cwd = join(repository, 'work');
const FILES: Record<string, string | Buffer> = {
  '../.git/HEAD': 'foo',
  '../.gitignore': '*.above\n',
  'x.above': 'foo',
  '.gitignore': '*.log\n!keep.log\n/build/\n',
  'a.log': 'foo',
  'keep.log': 'foo',
  'build/x': 'foo',
  '.ignore': 'a.txt\n',
  '.rgignore': 'a.txt\n',
  '.hidden/h.txt': 'foo hidden\n',
  'sub/.gitignore': 'keep.log\n!a.log\n',
  'sub/keep.log': 'foo',
  'sub/a.log': 'foo in sub',
  'a.txt': 'foo bar\nx\ny\nz\nfoo2\n',
  'crlf.txt': 'foo\r\nb\r\nfoo b\r\n',
  'lone.txt': 'a\rb foo\n',
  'bin.dat': Buffer.from('foo\0bar\n'),
  'late.dat': `${'foo\n'.repeat(20_000)}\0`,
  'empty.txt': '',
  'latin.txt': Buffer.from('caf\xe9 foo\n', 'latin1'),
  'bom.txt': '\ufefffoo bom\n',
  'u16.txt': Buffer.from('\ufefffoo sixteen\n', 'utf16le'),
  'noeol.txt': 'foo',
  '-dash': 'foo\n',
  'sp ace:co\nlon.txt': 'foo in a name\n',
  'ünï.txt': 'foo ü ٣ \u2028 z\nÀfoo ſ K\n',
  'long.txt': `${'x'.repeat(5000)}foo\n`,
  'blank.txt': '\n\nq\n',
  'pair.txt': `x${'🙅'.repeat(300)}pair\n`,
  'bombad.txt': Buffer.from('\xef\xbb\xbfcaf\xe9 foo\n', 'latin1'),
  'bombin.dat': '\ufefffoo\0',
  'u16odd.txt': Buffer.from('\xff\xfef\0o\0o\0x', 'latin1'),
  'u16short.txt': Buffer.from('\xff\xfefoo', 'latin1'),
  'crcrlf.txt': 'foo\r\r\nq\r\r\n',
  'tab.txt': 'foo\tq\u0085 \u00a0\n',
  'path.txt': 'src/a.ts (x) [y] {z} $1 a-b a_b 42 foo_bar\n',
};
for (const [path, text] of Object.entries(FILES)) {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}
symlinkSync('a.txt', join(cwd, 'filelink'));
symlinkSync('sub', join(cwd, 'dirlink'));

const here = createGrepTool(() => undefined);
const ripgrep = findProgram('rg', process.env);

interface Setup {
  bytes?: number;
  signal?: AbortSignal;
}

async function call(tool: Tool, args: object, setup: Setup = {}) {
  const parsed = tool.parse(JSON.stringify(args));
  if (!parsed.ok) throw new Error(parsed.problem);
  const { content, isError } = await tool.run(parsed.input, {
    callId: 'call_1',
    workspace: {
      cwd,
      roots: [cwd],
      spillDirectory: join(repository, 'spill'),
      files: openDiskFiles(() => true, new AbortController().signal),
      images: true,
      runCommand: createRunCommand({ env: process.env }),
      limits: { toolOutputBytesMax: setup.bytes ?? 100_000, shellTimeoutMs: 60_000 },
    },
    signal: setup.signal ?? new AbortController().signal,
    state: () => EMPTY_STATE,
    ask: async () => ({ outcome: 'failed', reason: 'Nobody is there.' }),
    progress: () => {},
  });
  const [block] = content;
  return { text: block?.type === 'text' ? block.text : undefined, isError };
}

test('finds in text files that are not ignored, whatever their name', async () => {
  expect((await call(here, { pattern: 'foo', output_mode: 'files' })).text?.split('\n')).toEqual([
    '-dash',
    '.hidden/h.txt',
    'a.txt',
    'bom.txt',
    'bombad.txt',
    'crcrlf.txt',
    'crlf.txt',
    'keep.log',
    'latin.txt',
    'lone.txt',
    'long.txt',
    'noeol.txt',
    'path.txt',
    'sp ace:co',
    'lon.txt',
    'sub/a.log',
    'tab.txt',
    'u16.txt',
    'ünï.txt',
  ]);
});

test.each([
  [{ pattern: 'foo', path: 'a.txt' }, 'a.txt:1:foo bar\na.txt:5:foo2'],
  [{ pattern: 'FOO', path: 'a.txt', ignore_case: true }, 'a.txt:1:foo bar\na.txt:5:foo2'],
  [
    { pattern: 'foo', path: 'a.txt', context: 1 },
    'a.txt:1:foo bar\na.txt-2-x\n--\na.txt-4-z\na.txt:5:foo2',
  ],
  [{ pattern: 'foo', path: 'a.txt', output_mode: 'count' }, 'a.txt:2'],
  [{ pattern: '^foo$', path: 'crlf.txt' }, 'crlf.txt:1:foo'],
  [{ pattern: 'foo', path: 'build' }, 'build/x:1:foo'],
  [{ pattern: 'foo', glob: '*.log' }, 'keep.log:1:foo\nsub/a.log:1:foo in sub'],
  [{ pattern: 'foo', glob: 'sub/**/*.log' }, 'sub/a.log:1:foo in sub'],
  [{ pattern: 'foo', glob: './sub/*' }, 'sub/a.log:1:foo in sub'],
  [
    { pattern: 'foo', path: 'filelink', limit: 1 },
    'filelink:1:foo bar\n(1 more lines; narrow the search)',
  ],
  [{ pattern: 'nowhere' }, `No matches for nowhere in ${cwd}.`],
])('%j', async (args, text) => {
  expect(await call(here, args)).toEqual({ text, isError: false });
});

test('shortens long lines and keeps to the limit of bytes', async () => {
  const long = await call(here, { pattern: 'foo', path: 'long.txt' });
  expect(long.text).toBe(`long.txt:1:${'x'.repeat(500)}…`);
  const { text } = await call(here, { pattern: 'foo' }, { bytes: 60 });
  expect(text).toMatch(/^-dash:1:foo\n.hidden\/h.txt:1:foo hidden\na.txt.*\n\(\d+ more lines;/);
});

test('a line is not cut inside a letter', async () => {
  const { text } = await call(here, { pattern: 'pair', path: 'pair.txt' });
  expect(text).toBe(`pair.txt:1:x${'🙅'.repeat(249)}…`);
});

test.each([
  ['breaks off', 'kill -KILL $$'],
  ['fails', 'echo broken; exit 2'],
  ['cannot be started', undefined],
])('when ripgrep %s, all is searched without it', async (_, script) => {
  const program = join(repository, 'rg');
  rmSync(program, { force: true });
  if (script !== undefined) writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const broken = createGrepTool(() => program);
  const args = { pattern: 'foo', output_mode: 'count' };
  expect(await call(broken, args)).toEqual(await call(here, args));
});

test.each([
  [{ pattern: '(' }, /search for \(: .*Unterminated group/],
  [{ pattern: '(?i)foo' }, /search for \(\?i\)foo: .*Invalid/],
  [{ pattern: 'foo', path: 'gone' }, /work\/gone does not exist/],
])('%j is an error that says why', async (args, text) => {
  expect(await call(here, args)).toEqual({ text: expect.stringMatching(text), isError: true });
});

test('a cancelled search does not claim that nothing is there', async () => {
  const { text, isError } = await call(here, { pattern: 'foo' }, { signal: AbortSignal.abort() });
  expect({ text, isError }).toEqual({ text: expect.stringContaining('cancelled'), isError: true });
});

test('its card names pattern and place', () => {
  expect(grepTool.card({ pattern: 'a"b', path: 'src' }, cwd)).toEqual({
    title: 'Search for "a\\"b" in src',
    kind: 'search',
    locations: [{ path: join(cwd, 'src') }],
  });
  expect(grepTool.paths({ pattern: 'a' })).toEqual([]);
});

// Where ripgrep is missing there is nothing to compare with.
describe.skipIf(ripgrep === undefined)('with ripgrep and without it the result is the same', () => {
  let asked = 0;
  const there = createGrepTool(() => {
    asked++;
    return ripgrep;
  });
  const patterns = [
    'foo',
    '^foo$',
    'b.$',
    'a.b',
    '^',
    '$',
    '^$',
    '^.$',
    'x*',
    'foo|q',
    '(?:foo|bar) b',
    'fo{2}',
    '{',
    '\\d',
    '^\\w',
    '\\w$',
    '\\s$',
    '\\bfoo\\b',
    '[\\w.]+\\.ts',
    '[^\\s]\\s',
    '[^a]b',
    'o[0-9]',
    '\\(x\\)',
    '\\[y\\]',
    '\\$1',
    'src\\/a',
    'a-b',
    '\\r',
    'a\\rb',
    'foo\\n',
    'é',
    'ü.*z',
    '\\p{Lu}',
    'k',
    '(',
    '[',
    'a**',
    '(?i)FOO',
    'foo(?= )',
    '(o)\\1',
    '[[:alpha:]]',
    'f\0',
    '\ufeff',
    'a{',
    '--files',
    '[a-]',
    'oo \\S',
    'a+?b',
    '[z-a]',
    '\\',
    'caf. f',
    'ca.+oo',
    '^foo b',
    '^caf.',
    'o.$',
    'a\\sb',
    'K.*z',
    'foo\\b.',
    '^.{5}foo',
    '[\\d-a]',
    '[.\\]]',
  ];
  const calls = [
    ...patterns.flatMap((pattern) => [{ pattern }, { pattern, ignore_case: true }]),
    ...[
      'a.log',
      'build',
      'filelink',
      'dirlink',
      'bin.dat',
      'sp ace:co\nlon.txt',
      '..',
      '../.git',
    ].map((path) => ({ pattern: 'foo', path })),
    { pattern: 'foo', context: 2 },
    { pattern: 'foo', output_mode: 'count' },
    { pattern: 'foo', output_mode: 'files', glob: '*.txt' },
    { pattern: 'foo', limit: 3 },
  ];
  test.each(calls)('%j', async (args) => {
    expect(await call(there, args)).toEqual(await call(here, args));
  });
  test('ripgrep did take part', () => expect(asked).toBeGreaterThan(calls.length / 3));
});
