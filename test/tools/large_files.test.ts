import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FILE_BYTES_MAX, openDiskFiles } from '../../src/tools/disk.ts';
import { editTool } from '../../src/tools/edit.ts';
import { createGrepTool } from '../../src/tools/grep.ts';
import { findProgram } from '../../src/sandbox/programs.ts';
import { createTestContext, textOf } from '../harness/toolContext.ts';

const ripgrep = findProgram('rg', process.env);

function withLargeFile(bytes: number) {
  const context = createTestContext();
  const path = join(context.cwd, 'large.log');
  writeFileSync(path, 'foo\n');
  truncateSync(path, bytes);
  return { ...context, path };
}

test('a file that is too large is refused, with its size and a way on', async () => {
  const { path } = withLargeFile(FILE_BYTES_MAX + 1);
  const files = openDiskFiles(() => true, new AbortController().signal);
  const words = `has ${FILE_BYTES_MAX + 1} bytes, and at most ${FILE_BYTES_MAX} can be; use bash`;
  await expect(files.readBytes(path)).rejects.toThrow(words);
  await expect(files.readText(path)).rejects.toThrow(words);
});

test('a file that is as large as can be is read', async () => {
  const { path } = withLargeFile(FILE_BYTES_MAX);
  expect(
    (await openDiskFiles(() => true, new AbortController().signal).readBytes(path)).length,
  ).toBe(FILE_BYTES_MAX);
});

test('a change that would make a file too large is refused, and the file stays', async () => {
  const { cwd, run } = createTestContext();
  const path = join(cwd, 'file');
  writeFileSync(path, 'a'.repeat(1000));
  const new_string = 'x'.repeat(FILE_BYTES_MAX / 1000 + 1);
  const call = run(editTool, { path: 'file', old_string: 'a', new_string, replace_all: true });
  await expect(call).rejects.toThrow('nothing was changed');
  expect(readFileSync(path, 'utf8')).toBe('a'.repeat(1000));
});

test.each([
  ['ripgrep', ripgrep],
  ['no ripgrep', undefined],
])('grep with %s names the files that it did not search', async (_, program) => {
  const { cwd, run } = withLargeFile(FILE_BYTES_MAX + 1);
  writeFileSync(join(cwd, 'a'), 'foo\n');
  const grep = createGrepTool(() => program);
  const note = `(not searched, for over ${FILE_BYTES_MAX} bytes: large.log; use bash)`;
  expect(textOf(await run(grep, { pattern: 'foo' }))).toBe(`a:1:foo\n${note}`);
  const none = `No matches for nowhere in ${cwd}.\n${note}`;
  expect(textOf(await run(grep, { pattern: 'nowhere' }))).toBe(none);
  expect(textOf(await run(grep, { pattern: 'foo', glob: 'a' }))).toBe('a:1:foo');
});

test('grep numbers the lines of a file that it searches piece by piece', async () => {
  const { cwd, run } = createTestContext();
  const hits = [1, 100_000, 100_001, 250_000];
  const lines = Array.from({ length: 250_000 }, (_, at) => (hits.includes(at + 1) ? 'foo' : 'x'));
  writeFileSync(join(cwd, 'file'), lines.join('\n'));
  const grep = createGrepTool(() => undefined);
  const expected = hits.map((line) => `file:${line}:foo`).join('\n');
  expect(textOf(await run(grep, { pattern: 'foo' }))).toBe(expected);
});
