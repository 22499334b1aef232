import { type Dirent, promises } from 'node:fs';
import { join } from 'node:path';
import { type IgnoreRules, openIgnoreRules } from './ignored.ts';

/**
 * The regular files below `directory` (absolute), as absolute paths in the order of their bytes: no
 * ignored ones, nothing in `.git`, hidden files included. Links are not followed, directories that
 * cannot be read are passed over, and the walk ends early when `signal` aborts.
 */
export async function* walkFiles(directory: string, signal: AbortSignal): AsyncGenerator<string> {
  yield* walk(directory, openIgnoreRules(directory), signal);
}

async function* walk(
  directory: string,
  rules: IgnoreRules,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for (const entry of await listSorted(directory)) {
    if (signal.aborted) return;
    const path = join(directory, entry.name);
    if (entry.name === '.git' || rules.ignores(path, entry.isDirectory())) continue;
    if (entry.isDirectory()) yield* walk(path, rules.within(path), signal);
    else if (entry.isFile()) yield path;
  }
}

async function listSorted(directory: string): Promise<Dirent[]> {
  const entries = await promises.readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}
