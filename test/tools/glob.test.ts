import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { EMPTY_STATE } from '../../src/log/state.ts';
import { createRunCommand } from '../../src/sandbox/run.ts';
import { openDiskFiles } from '../../src/tools/disk.ts';
import { globTool } from '../../src/tools/glob.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-glob-')));
const cwd = join(root, 'work');
for (const path of [
  'work/src/a.ts',
  'work/src/deep/b.ts',
  'work/src/deep/.h.ts',
  'work/c.js',
  'work/no.log',
  'work/line\nbreak.md',
  'work/..odd/e.txt',
  'work/app/[id]/page.tsx',
  'work/gen/x.gen',
  'work/gen/kept.gen',
  'other/d.ts',
]) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), '');
}
mkdirSync(join(cwd, '.git'));
writeFileSync(join(cwd, '.gitignore'), '*.log\n');
writeFileSync(join(cwd, 'gen/.gitignore'), '*.gen\n!kept.gen\n');
writeFileSync(join(cwd, '.git/config.ts'), '');

async function call(args: object, signal = new AbortController().signal) {
  const parsed = globTool.parse(JSON.stringify(args));
  if (!parsed.ok) throw new Error(parsed.problem);
  const { content, isError } = await globTool.run(parsed.input, {
    callId: 'call_1',
    workspace: {
      cwd,
      roots: [cwd],
      spillDirectory: join(root, 'spill'),
      files: openDiskFiles(() => true, new AbortController().signal),
      images: true,
      runCommand: createRunCommand({ env: process.env }),
      limits: { toolOutputBytesMax: 10_000, shellTimeoutMs: 60_000 },
    },
    signal,
    state: () => EMPTY_STATE,
    ask: async () => ({ outcome: 'failed', reason: 'Nobody is there.' }),
    progress: () => {},
  });
  const [block] = content;
  return { text: block?.type === 'text' ? block.text : undefined, isError };
}

test.each([
  [{ pattern: '**/*.ts' }, 'src/a.ts\nsrc/deep/.h.ts\nsrc/deep/b.ts'],
  [{ pattern: './src/*.ts' }, 'src/a.ts'],
  [{ pattern: 'src/{a,x}.ts' }, 'src/a.ts'],
  [{ pattern: '*.ts', path: 'src/deep' }, 'src/deep/.h.ts\nsrc/deep/b.ts'],
  [{ pattern: '*.ts', path: '../other' }, join(root, 'other/d.ts')],
  [{ pattern: '**/*.md' }, 'line\nbreak.md'],
  [{ pattern: '*' }, '.gitignore\nc.js\nline\nbreak.md'],
  [{ pattern: '**/e.txt' }, '..odd/e.txt'],
  [{ pattern: 'app/[id]/page.tsx' }, 'app/[id]/page.tsx'],
  [{ pattern: '**/*.gen' }, 'gen/kept.gen'],
  [{ pattern: '*.log' }, `No files match *.log in ${cwd}.`],
])('%j', async (args, text) => {
  expect(await call(args)).toEqual({ text, isError: false });
});

test.each([
  [{ pattern: '*', path: 'gone' }, join(cwd, 'gone')],
  [{ pattern: '*', path: 'c.js' }, `${join(cwd, 'c.js')} is a file`],
])('%j is an error that names the path', async (args, text) => {
  expect(await call(args)).toEqual({ text: expect.stringContaining(text), isError: true });
});

test('shows a thousand files and says how many more there are', async () => {
  const many = join(root, 'many');
  mkdirSync(many);
  for (let at = 0; at < 1003; at++) writeFileSync(join(many, `f${at}`), '');
  const lines = (await call({ pattern: '*', path: many })).text?.split('\n') ?? [];
  expect(lines).toHaveLength(1001);
  expect(lines.at(-1)).toContain('3 more');
});

test('a cancelled search does not claim that nothing is there', async () => {
  const { text, isError } = await call({ pattern: '**' }, AbortSignal.abort());
  expect({ text, isError }).toEqual({ text: expect.stringContaining('cancelled'), isError: true });
});

test('its card names pattern and place', () => {
  expect(globTool.card({ pattern: '*.ts', path: 'src' }, cwd)).toEqual({
    title: 'Find *.ts in src',
    kind: 'search',
    locations: [{ path: join(cwd, 'src') }],
  });
  expect(globTool.paths({ pattern: '*', path: '../x' })).toEqual(['../x']);
});

test('a pattern that never ends is stopped', async () => {
  const slow = join(root, 'slow');
  mkdirSync(slow);
  writeFileSync(join(slow, `${'a'.repeat(120)}c`), '');
  const pattern = `${'*a'.repeat(12)}*b`;
  await expect(call({ pattern, path: slow })).rejects.toThrow('takes too long');
});
