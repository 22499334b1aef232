import { promises } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { absolutePath } from './workspace.ts';

/** Where a search starts, or what is wrong with it, in words for the model. */
export type SearchRoot = { path: string; isDirectory: boolean } | { problem: string };

/** Looks at the `path` of a search; the working directory when there is none. */
export async function findSearchRoot(cwd: string, path: string | undefined): Promise<SearchRoot> {
  const absolute = absolutePath(cwd, path ?? '.');
  const stats = await promises.stat(absolute).catch(() => undefined);
  if (!stats) return { problem: `${absolute} does not exist.` };
  if (stats.isDirectory() || stats.isFile())
    return { path: absolute, isDirectory: stats.isDirectory() };
  return { problem: `${absolute} is neither a directory nor a regular file.` };
}

/** A found path as it is shown: relative to `cwd` when it lies below, else absolute. */
export function shownPath(cwd: string, path: string): string {
  const below = relative(cwd, path);
  const [first = ''] = below.split(sep);
  return first === '' || first === '..' || isAbsolute(below) ? path : below;
}
