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
import { openDiskFiles } from '../../src/tools/disk.ts';
import { canMount, fill, mountSmall, unmount } from '../log/smallDisk.ts';
import { createTestContext } from '../harness/toolContext.ts';

const files = openDiskFiles(() => true, new AbortController().signal);
const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);
const FILE = { text: 'x', encoding: 'utf-8', bom: false, eol: '\n' } as const;
const utf16be = (text: string) => bytes(text, 'utf16le').swap16();

describe('what is read and written back has the same bytes', () => {
  test.each<[string, Buffer, string]>([
    ['plain', bytes('a\nb\n'), 'a\nb\n'],
    ['no last newline', bytes('a\nb'), 'a\nb'],
    ['empty', bytes(''), ''],
    ['CRLF', bytes('a\r\nb\r\n'), 'a\nb\n'],
    ['mixed', bytes('a\r\nb\nc'), 'a\r\nb\nc'],
    ['CR CR LF', bytes('a\r\r\nb\r\n'), 'a\r\r\nb\r\n'],
    ['a lone CR', bytes('a\rb\n'), 'a\rb\n'],
    ['a BOM', bytes('\uFEFFa\r\n'), 'a\n'],
    ['UTF-16 LE', Buffer.concat([Buffer.from([0xff, 0xfe]), bytes('é\r\n', 'utf16le')]), 'é\n'],
    ['UTF-16 BE', Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be('é\n')]), 'é\n'],
    ['latin1', Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]), 'café\n'],
    ['any single bytes', Buffer.from([0x80, 0x81, 0xff, 0x0d, 0x0a]), '\x80\x81ÿ\n'],
    ['a BOM before what is no UTF-8', Buffer.from([0xef, 0xbb, 0xbf, 0xe9, 0x0a]), 'é\n'],
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

test.each([
  ['a NUL', [1, 0, 2], 'binary'],
  ['a NUL after a BOM', [0xef, 0xbb, 0xbf, 0], 'binary'],
  ['UTF-16 of an odd length', [0xff, 0xfe, 0x41], 'no valid UTF-16'],
  ['half a pair in UTF-16', [0xfe, 0xff, 0xd8, 0x00, 0x00, 0x41], 'no valid UTF-16'],
])('%s is no text', async (_, content, words) => {
  const { cwd } = createTestContext();
  writeFileSync(join(cwd, 'x'), Buffer.from(content));
  await expect(files.readText(join(cwd, 'x'))).rejects.toThrow(words);
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
  writeFileSync(join(cwd, 'run.sh'), '');
  chmodSync(join(cwd, 'run.sh'), 0o751);
  await files.writeText(join(cwd, 'run.sh'), FILE);
  expect(statSync(join(cwd, 'run.sh')).mode & 0o7777).toBe(0o751);
  await files.writeText(join(cwd, 'a/b/c'), FILE);
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

test('a link that leads nowhere is not replaced by a file', async () => {
  const { cwd } = createTestContext();
  symlinkSync('gone', join(cwd, 'link'));
  const written = files.writeText(join(cwd, 'link'), FILE);
  await expect(written).rejects.toThrow('link to a file that does not exist');
  expect(lstatSync(join(cwd, 'link')).isSymbolicLink()).toBe(true);
});

test('a name may be as long as names can be', async () => {
  const { cwd } = createTestContext();
  const path = join(cwd, 'n'.repeat(255));
  await files.writeText(path, FILE);
  expect(readFileSync(path, 'utf8')).toBe('x');
});

test('what is no regular file is refused and never waited for', async () => {
  const { cwd } = createTestContext();
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  mkdirSync(join(cwd, 'directory'));
  for (const path of [join(cwd, 'pipe'), '/dev/zero', join(cwd, 'directory')]) {
    await expect(files.readBytes(path)).rejects.toThrow(/no regular file|directory/);
    await expect(files.writeText(path, FILE)).rejects.toThrow(/no regular file|directory/);
  }
});

test('what is not there is undefined as text, and an error as bytes', async () => {
  const { cwd } = createTestContext();
  writeFileSync(join(cwd, 'file'), '');
  expect(await files.readText(join(cwd, 'none'))).toBeUndefined();
  expect(await files.readText(join(cwd, 'file/none'))).toBeUndefined();
  await expect(files.readBytes(join(cwd, 'none'))).rejects.toThrow('there is no such file');
});

test('a path through a file is refused, and the file stays', async () => {
  const { cwd } = createTestContext();
  writeFileSync(join(cwd, 'file'), 'old');
  const written = files.writeText(join(cwd, 'file/below'), FILE);
  await expect(written).rejects.toThrow('a part of the path is no directory');
  expect(readFileSync(join(cwd, 'file'), 'utf8')).toBe('old');
  expect(readdirSync(cwd)).toEqual(['file']);
});

test.runIf(canMount())('a write on a full disk leaves the old file and no other', async () => {
  const { cwd } = createTestContext();
  const disk = join(cwd, 'disk');
  mountSmall(disk);
  try {
    writeFileSync(join(disk, 'file'), 'old');
    fill(disk);
    const written = files.writeText(join(disk, 'file'), { ...FILE, text: 'new'.repeat(50_000) });
    await expect(written).rejects.toThrow('no space is left on the device');
    expect(readFileSync(join(disk, 'file'), 'utf8')).toBe('old');
    expect(readdirSync(disk).toSorted()).toEqual(['file', 'filler']);
  } finally {
    unmount(disk);
  }
});
