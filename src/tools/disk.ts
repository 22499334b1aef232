import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, messageOf, UserError } from '../base/errors.ts';
import { decodeText, encodeText } from './encoding.ts';
import type { Files } from './files.ts';
import { realPath } from './workspace.ts';

/** Files on the disk of this machine. */
export function createDiskFiles(): Files {
  return {
    readBytes,
    async readText(path) {
      const bytes = await readIfThere(path);
      return bytes && decodeText(bytes, path);
    },
    async writeText(path, file) {
      const bytes = encodeText(file, path);
      // Written through a link: the link stays, its target gets the text.
      await explain(path, 'written', () => replaceFile(realPath(path), bytes));
    },
  };
}

function readBytes(path: string): Promise<Buffer> {
  return explain(path, 'read', async () => {
    // Checked before it is opened, for opening a pipe waits; and not waited for in any case, should
    // it have been swapped for one in between.
    requireRegular(await stat(path));
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      requireRegular(await handle.stat());
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  });
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  if (!(await statIfThere(path))) return undefined;
  return readBytes(path);
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw new UserError(`${path} cannot be looked at: ${reasonOf(error)}.`);
  }
}

// A reader sees the old file or the new one, never a half: the new one takes the old one's place.
async function replaceFile(path: string, bytes: Buffer): Promise<void> {
  const old = await statIfThere(path);
  if (old) requireRegular(old);
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(temporary, 'wx');
  try {
    await writeAndSync(handle, bytes);
    if (old) await chmod(temporary, old.mode & 0o7777);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

async function writeAndSync(handle: FileHandle, bytes: Buffer): Promise<void> {
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

class NotRegular extends Error {}

function requireRegular(stats: Stats): void {
  if (stats.isFile()) return;
  throw new NotRegular(stats.isDirectory() ? 'it is a directory' : 'it is no regular file');
}

async function explain<T>(path: string, done: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${path} cannot be ${done}: ${reasonOf(error)}.`);
  }
}

function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return 'there is no such file';
    case 'ENOTDIR':
      return 'a part of the path is no directory';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ENOSPC':
      return 'no space is left on the device';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ELOOP':
      return 'its symbolic links lead in a circle';
    default:
      return messageOf(error);
  }
}
