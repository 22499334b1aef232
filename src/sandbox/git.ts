import { readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
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

/**
 * The directories inside `roots` in which git keeps the repositories of these roots, as real paths:
 * `.git` itself, or where a link or a file of that name leads.
 */
export function findGitDirectories(roots: readonly string[]): string[] {
  const found = roots.flatMap((root) => {
    const directory = directoryAt(join(root, '.git'));
    if (directory === undefined) return [];
    const common = directoryNamedIn(join(directory, 'commondir'));
    return common === undefined ? [directory] : [directory, common];
  });
  return [...new Set(found)].filter((path) => roots.some((root) => isBelow(path, root)));
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
 * Puts files that say nothing where a command could plant one that makes git run something. Only
 * what is there can be kept from being written.
 */
export function guardGit(directory: string): void {
  for (const [name, text] of Object.entries(GUARDS)) {
    try {
      if (statSync(join(directory, 'HEAD')).isFile()) {
        writeFileSync(join(directory, name), text, { flag: 'wx' });
      }
    } catch {
      // There is one, it is no repository, or nobody can write there.
    }
  }
}
