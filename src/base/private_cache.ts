import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory } from './make_directory.ts';

/**
 * A place for what can be made again, and is believed when it is read. Nothing that is wrong with
 * it is ever an error: what cannot be read is not there.
 */
export interface PrivateCache {
  /** Undefined where there is no such file, or where others could have written it. */
  read: (name: string) => Buffer | undefined;
  /** Whoever reads it meets a whole file, even after a crash of the machine. */
  write: (name: string, content: Uint8Array | string) => void;
  remove: (name: string) => void;
}

const OTHERS_MAY_WRITE = 0o022;

/**
 * The cache in the first of `directories` that will do. They are made for their owner alone, and at
 * once: before a command of a model could make them.
 */
export function openPrivateCache(directories: readonly string[]): PrivateCache {
  const own = directories.filter((directory) => attempt(() => isPrivate(directory)));
  return {
    read(name) {
      const found = own.map((directory) => attempt(() => readOwn(join(directory, name))));
      return found.find((content) => content !== undefined);
    },
    write(name, content) {
      own.some((directory) => attempt(() => writeWhole(join(directory, name), content)));
    },
    remove(name) {
      for (const directory of own) attempt(() => unlinkSync(join(directory, name)));
    },
  };
}

function isPrivate(directory: string): boolean {
  makePrivateDirectory(directory);
  const stats = lstatSync(directory);
  return stats.isDirectory() && isOwn(stats);
}

function readOwn(path: string): Buffer | undefined {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && isOwn(stats) ? readFileSync(fd) : undefined;
  } finally {
    closeSync(fd);
  }
}

function writeWhole(path: string, content: Uint8Array | string): boolean {
  const mine = `${path}.${process.pid}`;
  const fd = openSync(mine, 'wx', 0o600);
  try {
    writeFileSync(fd, content);
    fsyncSync(fd);
    renameSync(mine, path);
    return true;
  } catch (error) {
    unlinkSync(mine);
    throw error;
  } finally {
    closeSync(fd);
  }
}

// Where the system does not say whose a file is, there is no cache.
function isOwn({ uid, mode }: Stats): boolean {
  return uid === process.getuid?.() && (mode & OTHERS_MAY_WRITE) === 0;
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
