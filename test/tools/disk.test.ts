import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDiskFiles } from '../../src/tools/disk.ts';
import { createTestContext } from '../harness/toolContext.ts';

const files = createDiskFiles();
const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);
const utf16be = (text: string) => bytes(text, 'utf16le').swap16();

describe('what is read and written back has the same bytes', () => {
  test.each<[string, Buffer, string]>([
    ['plain', bytes('a\nb\n'), 'a\nb\n'],
    ['no last newline', bytes('a\nb'), 'a\nb'],
    ['empty', bytes(''), ''],
    ['CRLF', bytes('a\r\nb\r\n'), 'a\nb\n'],
    ['mixed', bytes('a\r\nb\nc'), 'a\r\nb\nc'],
    ['a lone CR', bytes('a\rb\n'), 'a\rb\n'],
    ['a BOM', bytes('\uFEFFa\r\n'), 'a\n'],
    ['UTF-16 LE', Buffer.concat([Buffer.from([0xff, 0xfe]), bytes('é\r\n', 'utf16le')]), 'é\n'],
    ['UTF-16 BE', Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be('é\n')]), 'é\n'],
    ['latin1', Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]), 'café\n'],
    ['any single bytes', Buffer.from([0x80, 0x81, 0xff, 0x0d, 0x0a]), '\x80\x81ÿ\n'],
    ['letters beyond the first plane', bytes('🙅\n'), '🙅\n'],
  ])('%s', async (_, content, text) => {
    const { cwd } = createTestContext();
    const path = join(cwd, 'file');
    writeFileSync(path, content);
    const file = await files.readText(path);
    expect(file?.text).toBe(text);
    if (file) await files.writeText(path, file);
    expect(readFileSync(path).equals(content)).toBe(true);
  });
});

test('binary content is no text', async () => {
  const { cwd } = createTestContext();
  writeFileSync(join(cwd, 'x'), Buffer.from([1, 0, 2]));
  await expect(files.readText(join(cwd, 'x'))).rejects.toThrow('binary');
});

test('a letter that the encoding has not is refused, and the file stays', async () => {
  const { cwd } = createTestContext();
  const path = join(cwd, 'x');
  writeFileSync(path, Buffer.from([0xe9]));
  const file = await files.readText(path);
  const change = file && files.writeText(path, { ...file, text: 'é🙅' });
  await expect(change).rejects.toThrow('single-byte');
  expect([...readFileSync(path)]).toEqual([0xe9]);
});

test('mode bits are kept, missing directories are made, nothing else is left', async () => {
  const { cwd } = createTestContext();
  const file = { text: 'x', encoding: 'utf-8', bom: false, eol: '\n' } as const;
  writeFileSync(join(cwd, 'run.sh'), '');
  chmodSync(join(cwd, 'run.sh'), 0o751);
  await files.writeText(join(cwd, 'run.sh'), file);
  expect(statSync(join(cwd, 'run.sh')).mode & 0o7777).toBe(0o751);
  await files.writeText(join(cwd, 'a/b/c'), file);
  expect(readFileSync(join(cwd, 'a/b/c'), 'utf8')).toBe('x');
  expect(readdirSync(cwd).toSorted()).toEqual(['a', 'run.sh']);
});

test('a link stays a link, and its target gets the text', async () => {
  const { cwd } = createTestContext();
  writeFileSync(join(cwd, 'target'), 'old');
  symlinkSync('target', join(cwd, 'link'));
  const file = await files.readText(join(cwd, 'link'));
  if (file) await files.writeText(join(cwd, 'link'), { ...file, text: 'new' });
  expect(lstatSync(join(cwd, 'link')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(cwd, 'target'), 'utf8')).toBe('new');
});

test('what is no regular file is refused and never waited for', async () => {
  const { cwd } = createTestContext();
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  mkdirSync(join(cwd, 'directory'));
  const file = { text: 'x', encoding: 'utf-8', bom: false, eol: '\n' } as const;
  for (const path of [join(cwd, 'pipe'), '/dev/zero', join(cwd, 'directory')]) {
    await expect(files.readBytes(path)).rejects.toThrow(/no regular file|directory/);
    await expect(files.writeText(path, file)).rejects.toThrow(/no regular file|directory/);
  }
});

test('what is not there is undefined as text, and an error as bytes', async () => {
  const { cwd } = createTestContext();
  writeFileSync(join(cwd, 'file'), '');
  expect(await files.readText(join(cwd, 'none'))).toBeUndefined();
  expect(await files.readText(join(cwd, 'file/none'))).toBeUndefined();
  await expect(files.readBytes(join(cwd, 'none'))).rejects.toThrow('there is no such file');
});

test('a write that fails leaves the old file and no other', async () => {
  const { cwd } = createTestContext();
  writeFileSync(join(cwd, 'file'), 'old');
  const file = { text: 'x', encoding: 'utf-8', bom: false, eol: '\n' } as const;
  await expect(files.writeText(join(cwd, 'file/below'), file)).rejects.toThrow('cannot be');
  expect(readFileSync(join(cwd, 'file'), 'utf8')).toBe('old');
  expect(readdirSync(cwd)).toEqual(['file']);
});
