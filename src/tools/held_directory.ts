import { constants, existsSync, promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../base/errors.ts';

/** A directory that is held: names in it stay names in it, whatever happens to its path. */
export interface HeldDirectory {
  /** The path under which an entry of the directory is reached. */
  pathOf: (name: string) => string;
  close: () => Promise<void>;
}

// Where the system shows an open directory as a path, everything can go through that.
const OPEN_FILES = '/proc/self/fd';
const HELD = existsSync(OPEN_FILES);

// Linux: only a place in the tree, for which no right to list it is needed. Not named by Node.
const O_PATH = 0o10000000;

/**
 * Holds the directory at `path`, a real path; missing ones are made. No link is followed on the way
 * that was put there since the path was resolved. Elsewhere than on Linux that is checked, but not
 * held.
 */
export async function holdDirectory(path: string): Promise<HeldDirectory> {
  const missing: string[] = [];
  let existing = path;
  while (!(await promises.lstat(existing).catch(notThere))) {
    missing.unshift(basename(existing));
    existing = dirname(existing);
  }
  if (!HELD) return checkDirectories(existing, missing);
  let handle = await openDirectory(existing);
  try {
    const here = await placeOf(handle);
    if (here !== existing) throw new Error(`${existing} has become another directory: ${here}`);
    for (const name of missing) {
      const next = `${OPEN_FILES}/${handle.fd}/${name}`;
      await promises.mkdir(next).catch(unlessThere);
      const child = await openDirectory(next);
      await handle.close();
      handle = child;
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  const held = handle;
  return {
    pathOf: (name) => `${OPEN_FILES}/${held.fd}/${name}`,
    close: () => held.close(),
  };
}

/** Where the system says an open file lies; undefined where it does not say. */
export async function placeOf({ fd }: FileHandle): Promise<string | undefined> {
  return HELD ? promises.readlink(`${OPEN_FILES}/${fd}`) : undefined;
}

function openDirectory(path: string): Promise<FileHandle> {
  return promises.open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

async function checkDirectories(
  existing: string,
  missing: readonly string[],
): Promise<HeldDirectory> {
  let path = existing;
  for (const name of ['', ...missing]) {
    path = join(path, name);
    if (name !== '') await promises.mkdir(path).catch(unlessThere);
    if ((await promises.lstat(path)).isDirectory()) continue;
    throw Object.assign(new Error(`${path} is no directory`), { code: 'ENOTDIR' });
  }
  return { pathOf: (name) => join(path, name), close: async () => {} };
}

function notThere(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}
