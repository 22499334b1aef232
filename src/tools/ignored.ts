import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** The rules of the `.gitignore` files from the root of the repository down to one directory. */
export interface IgnoreRules {
  /** Whether the path (absolute, below the directory) is ignored. */
  ignores: (path: string, isDirectory: boolean) => boolean;
  /** These rules and those of `directory`, which lies right below. */
  within: (directory: string) => IgnoreRules;
}

interface Level {
  base: string;
  rules: Ignore;
}

/**
 * The rules in force in `directory` (absolute). Somebody who searches in an ignored directory wants
 * to: the rules from above it do not count then.
 */
export function openIgnoreRules(directory: string): IgnoreRules {
  const above = levelsAbove(directory);
  const levels = isIgnored(above, directory, true) ? [] : above;
  return rulesOf([...levels, ...readLevel(directory)]);
}

function rulesOf(levels: readonly Level[]): IgnoreRules {
  return {
    ignores: (path, isDirectory) => isIgnored(levels, path, isDirectory),
    within: (directory) => {
      const more = readLevel(directory);
      return more.length === 0 ? rulesOf(levels) : rulesOf([...levels, ...more]);
    },
  };
}

// The deepest file that says anything about a path decides.
function isIgnored(levels: readonly Level[], path: string, isDirectory: boolean): boolean {
  for (const { base, rules } of levels.toReversed()) {
    const { ignored, unignored } = rules.test(`${relative(base, path)}${isDirectory ? '/' : ''}`);
    if (ignored || unignored) return ignored;
  }
  return false;
}

function levelsAbove(directory: string): Level[] {
  const above: string[] = [];
  let current = directory;
  while (!existsSync(join(current, '.git'))) {
    const parent = dirname(current);
    if (parent === current) return [];
    above.unshift(parent);
    current = parent;
  }
  return above.flatMap(readLevel);
}

function readLevel(directory: string): Level[] {
  const path = join(directory, '.gitignore');
  try {
    // Like git: no link is followed. And reading a pipe would wait.
    if (!lstatSync(path).isFile()) return [];
    const text = readFileSync(path, 'utf8');
    return [{ base: directory, rules: ignore({ ignorecase: false }).add(text) }];
  } catch {
    // None there, or none that can be read.
    return [];
  }
}
