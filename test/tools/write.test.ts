import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTool } from '../../src/tools/read.ts';
import { writeTool } from '../../src/tools/write.ts';
import { createTestContext, textOf } from '../harness/toolContext.ts';

test('a new file is made with its directories; its diff has no old text', async () => {
  const { cwd, run } = createTestContext();
  const path = join(cwd, 'a/b/new');
  const outcome = await run(writeTool, { path: 'a/b/new', content: 'x\n' });
  expect(outcome).toMatchObject({ isError: false, facts: [{ type: 'file/seen', path }] });
  expect(textOf(outcome)).toBe(`Created ${path}.`);
  expect(outcome.content).toContainEqual({ type: 'diff', path, oldText: null, newText: 'x\n' });
  expect(readFileSync(path, 'utf8')).toBe('x\n');
  expect(readdirSync(join(cwd, 'a/b'))).toEqual(['new']);
});

test.each([
  {
    kind: 'CRLF and BOM',
    before: '\xef\xbb\xbfa\r\nb\r\n',
    content: 'c\nd\n',
    after: '\xef\xbb\xbfc\r\nd\r\n',
  },
  { kind: 'CRLF', before: 'a\r\nb\r\n', content: 'c\r\nd\n', after: 'c\r\nd\r\n' },
  { kind: 'LF', before: 'a\n', content: 'c\r\nd\n', after: 'c\r\nd\n' },
  {
    kind: 'UTF-16',
    before: '\xff\xfea\0\r\0\n\0',
    content: 'é\n',
    after: '\xff\xfe\xe9\0\r\0\n\0',
  },
  { kind: 'latin1', before: 'caf\xe9', content: 'th\xe9', after: 'th\xe9' },
])('an old file keeps its encoding and endings: $kind', async ({ before, content, after }) => {
  const { cwd, run } = createTestContext();
  const path = join(cwd, 'old');
  writeFileSync(path, before, 'latin1');
  const outcome = await run(writeTool, { path, content });
  expect(textOf(outcome)).toBe(`Replaced ${path}.`);
  expect(readFileSync(path, 'latin1')).toBe(after);
});

test('the mode stays, and a link that is written through', async () => {
  const { cwd, run } = createTestContext();
  writeFileSync(join(cwd, 'run.sh'), 'old', { mode: 0o700 });
  symlinkSync('run.sh', join(cwd, 'link'));
  await run(writeTool, { path: 'link', content: 'new' });
  expect(lstatSync(join(cwd, 'link')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(cwd, 'run.sh'), 'utf8')).toBe('new');
  expect(statSync(join(cwd, 'run.sh')).mode & 0o777).toBe(0o700);
});

test('a text with a NUL is refused before anything is written', async () => {
  const { cwd, run } = createTestContext();
  writeFileSync(join(cwd, 'old'), 'old');
  for (const path of ['old', 'new']) {
    await expect(run(writeTool, { path, content: 'a\0b' })).rejects.toThrow('NUL');
  }
  expect(readFileSync(join(cwd, 'old'), 'utf8')).toBe('old');
  expect(existsSync(join(cwd, 'new'))).toBe(false);
});

test('a directory and a binary file are refused, and stay', async () => {
  const { cwd, run } = createTestContext();
  mkdirSync(join(cwd, 'src'));
  writeFileSync(join(cwd, 'bin'), '\0\x01');
  await expect(run(writeTool, { path: 'src', content: 'x' })).rejects.toThrow('it is a directory');
  await expect(run(writeTool, { path: 'bin', content: 'x' })).rejects.toThrow('binary');
  expect(readFileSync(join(cwd, 'bin'), 'utf8')).toBe('\0\x01');
});

test('a file that was read and then removed is written anew', async () => {
  const { cwd, run } = createTestContext();
  writeFileSync(join(cwd, 'file'), 'old');
  await run(readTool, { path: 'file' });
  rmSync(join(cwd, 'file'));
  const outcome = await run(writeTool, { path: 'file', content: 'new' });
  expect(textOf(outcome)).toContain('Created');
});

test('its card names the place and shows the text', () => {
  expect(writeTool.card({ path: 'a', content: 'x' }, '/project')).toEqual({
    title: 'Write a',
    kind: 'edit',
    locations: [{ path: '/project/a' }],
    content: [{ type: 'diff', path: '/project/a', oldText: null, newText: 'x' }],
  });
});
