import {
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isBelow } from './policy.ts';

/** What git finds under these names in a directory of its own it runs, or is told to run. */
export const GIT_KEPT = [
  'hooks',
  'config',
  'config.worktree',
  'commondir',
  'modules',
  'worktrees',
] as const;

/** Where git keeps the repositories of some roots, as far as it is inside them; real paths. */
export interface GitPlaces {
  /** `.git` itself, or where a link or a file of that name leads. */
  directories: string[];
  /** Where those of `GIT_KEPT` lead that are links. */
  linked: string[];
}

/** Looks for the repositories of `roots`. */
export function findGit(roots: readonly string[]): GitPlaces {
  const inside = (path: string) => roots.some((root) => isBelow(path, root));
  const found = roots.flatMap((root) => {
    const directory = directoryAt(join(root, '.git'));
    if (directory === undefined) return [];
    const common = directoryNamedIn(join(directory, 'commondir'));
    return common === undefined ? [directory] : [directory, common];
  });
  const directories = [...new Set(found)].filter(inside);
  return { directories, linked: directories.flatMap(leadingAway).filter(inside) };
}

function leadingAway(directory: string): string[] {
  const paths = GIT_KEPT.map((name) => join(directory, name));
  return paths.flatMap((path) => {
    const links = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    return links && existsSync(path) ? [realpathSync(path)] : [];
  });
}

function directoryAt(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() ? realpathSync(path) : directoryNamedIn(path);
}

function directoryNamedIn(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return undefined;
    const named = readFileSync(path, 'utf8').replace(/^gitdir: /, '');
    return realpathSync(resolve(dirname(path), named.replace(/[\r\n]+$/, '')));
  } catch {
    // None there, or one that leads nowhere.
    return undefined;
  }
}

// What makes no difference to git, under names where anything else would.
const GUARDS: Readonly<Record<string, string>> = { commondir: '.\n', 'config.worktree': '' };

/**
 * Puts files that say nothing where a command could plant one that makes git run something: only
 * what is there can be kept from being written. Gives back how to take them away again.
 */
export function guardGit(directory: string): () => void {
  if (!statSync(join(directory, 'HEAD'), { throwIfNoEntry: false })?.isFile()) return () => {};
  const guards = Object.entries(GUARDS).flatMap(([name, text]) => {
    const path = join(directory, name);
    try {
      writeFileSync(path, text, { flag: 'wx' });
      return [path];
    } catch {
      // There is one, or nobody can write there.
      return [];
    }
  });
  return () => guards.forEach((path) => rmSync(path, { force: true }));
}
