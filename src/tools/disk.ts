import { randomBytes } from 'node:crypto';
import { constants, promises, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { codeOf, messageOf, UserError } from '../base/errors.ts';
import { decodeText, encodeText } from './encoding.ts';
import type { May, OpenFiles, Use } from './files.ts';
import { type HeldDirectory, holdDirectory, placeOf } from './held_directory.ts';
import { realPath } from './workspace.ts';

/** The most bytes of a file that tools take: its lines need many times that in memory. */
export const FILE_BYTES_MAX = 32 * 1024 * 1024;

/** Files on the disk of this machine, as far as `may` allows. */
export const openDiskFiles: OpenFiles = (may) => {
  const readBytes = (path: string) => readFile(path, may);
  return {
    readBytes,
    async readText(path) {
      if (!(await statIfThere(path))) return undefined;
      return decodeText(await readBytes(path), path);
    },
    async writeText(path, file) {
      const bytes = encodeText(file, path);
      await explain(path, 'written', () => replaceFile(path, bytes, may));
    },
  };
};

/** Throws `UserError` where `may` does not allow the place that `path` leads to. */
export function checkMay(path: string, may: May, use: Use): void {
  const real = realPath(path);
  if (may(real, use)) return;
  const done = use === 'read' ? 'read' : 'written';
  throw new UserError(`${path} cannot be ${done}: it leads to ${real}, which was not allowed.`);
}

function readFile(path: string, may: May): Promise<Buffer> {
  return explain(path, 'read', async () => {
    // Checked before it is opened, for opening a pipe waits; and not waited for in any case, should
    // it have been swapped for one in between.
    requireReadable(await promises.stat(path));
    const handle = await promises.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      requireReadable(stats);
      await requireAllowed(path, handle, may);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  });
}

// What was opened must lie at an allowed place: a link may have been put in between.
async function requireAllowed(path: string, handle: FileHandle, may: May): Promise<void> {
  const real = (await placeOf(handle)) ?? realPath(path);
  if (may(real, 'read') && (await isSameFile(real, await handle.stat()))) return;
  throw new NotAllowed(`it leads to ${real}, which was not allowed`);
}

async function isSameFile(path: string, { ino, dev }: Stats): Promise<boolean> {
  const there = await promises.lstat(path).catch(() => undefined);
  return there?.ino === ino && there.dev === dev;
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await promises.stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw new UserError(`${path} cannot be looked at: ${reasonOf(error)}.`);
  }
}

// A reader sees the old file or the new one, never a half: the new one takes the old one's place.
// Written through a link: the link stays, its target gets the text.
async function replaceFile(path: string, bytes: Buffer, may: May): Promise<void> {
  const real = realPath(path);
  if (!may(real, 'change')) throw new NotAllowed(`it leads to ${real}, which was not allowed`);
  const directory = await holdDirectory(dirname(real));
  try {
    await replaceIn(directory, basename(real), bytes);
  } finally {
    await directory.close();
  }
}

async function replaceIn(directory: HeldDirectory, name: string, bytes: Buffer): Promise<void> {
  const target = directory.pathOf(name);
  const old = await promises.lstat(target).catch(() => undefined);
  if (old?.isSymbolicLink()) {
    // A link that leads nowhere would be replaced instead of written through.
    throw new NotRegular('it is a symbolic link to a file that does not exist');
  }
  if (old) requireRegular(old);
  // Named without the file's own name, which may be as long as a name can be.
  const temporary = directory.pathOf(`.${randomBytes(9).toString('hex')}.tmp`);
  // Nobody may read it before it has the old one's mode.
  const handle = await promises.open(temporary, 'wx', old ? 0o600 : 0o666);
  try {
    await writeAndSync(handle, bytes, old && old.mode & 0o7777);
    await promises.rename(temporary, target);
  } catch (error) {
    await promises.unlink(temporary).catch(() => {});
    throw error;
  }
}

async function writeAndSync(handle: FileHandle, bytes: Buffer, mode?: number): Promise<void> {
  try {
    await handle.writeFile(bytes);
    // Of what is open, not of what has its name by now: that may be a link.
    if (mode !== undefined) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

class NotRegular extends Error {}
class NotAllowed extends Error {}

function requireReadable(stats: Stats): void {
  requireRegular(stats);
  if (stats.size <= FILE_BYTES_MAX) return;
  throw new NotRegular(
    `it has ${stats.size} bytes, and at most ${FILE_BYTES_MAX} can be; use bash for a part of it`,
  );
}

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
    case 'EEXIST':
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
