import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { RunCommand } from '../sandbox/command.ts';
import type { Files } from './files.ts';
import type { ToolLimits } from './limits.ts';

/** Where a session works, and the ports through which its tools reach the machine. */
export interface Workspace {
  /** Absolute; relative paths of a call resolve against it. */
  cwd: string;
  /** `cwd` and the additional directories, absolute. */
  roots: readonly string[];
  /** Where whole outputs go that are too long for a result. The model may read there. */
  spillDirectory: string;
  files: Files;
  runCommand: RunCommand;
  limits: ToolLimits;
}

/** The absolute path of a path in a call. */
export function absolutePath(cwd: string, path: string): string {
  return resolve(cwd, path);
}

/**
 * Whether an absolute path stays inside one of `roots` once symbolic links are resolved on both
 * sides; of a path that does not exist yet, the deepest part that exists decides.
 */
export function isInside(roots: readonly string[], path: string): boolean {
  const real = realPath(path);
  return roots.some((root) => {
    const realRoot = realPath(root);
    return real === realRoot || real.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep);
  });
}

/** `path` with symbolic links resolved as far as it exists. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
