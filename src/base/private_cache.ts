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
 * A directory of what can be made again, and is believed when it is read. Nothing that is wrong
 * with it is ever an error: what cannot be read is not there.
 */
export interface PrivateCache {
  /** Undefined where there is no such file, or where others could have written it. */
  read: (name: string) => Buffer | undefined;
  /** Whoever reads it meets a whole file, even after a crash of the machine. */
  write: (name: string, content: Uint8Array | string) => void;
  remove: (name: string) => void;
}

const OTHERS_MAY_WRITE = 0o022;

/** The cache in `directory`, which is made for its owner alone. */
export function openPrivateCache(directory: string): PrivateCache {
  // Made at once: it is there before a command of a model could make it.
  attempt(() => makePrivateDirectory(directory));
  return {
    read: (name) => attempt(() => readOwn(directory, name)),
    write: (name, content) => attempt(() => writeOwn(directory, name, content)),
    remove: (name) => attempt(() => unlinkSync(join(directory, name))),
  };
}

function readOwn(directory: string, name: string): Buffer | undefined {
  if (!isOwn(lstatSync(directory))) return undefined;
  const fd = openSync(join(directory, name), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && isOwn(stats) ? readFileSync(fd) : undefined;
  } finally {
    closeSync(fd);
  }
}

function writeOwn(directory: string, name: string, content: Uint8Array | string): void {
  if (!isOwn(lstatSync(directory))) return;
  const path = join(directory, name);
  const mine = `${path}.${process.pid}`;
  const fd = openSync(mine, 'wx', 0o600);
  try {
    writeFileSync(fd, content);
    fsyncSync(fd);
    renameSync(mine, path);
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
