import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { InputError } from '../base/errors.ts';
import type { McpServerSpec } from '../mcp/spec.ts';

/** Where a session works. Directories must be absolute and exist. */
export interface Directories {
  cwd: string;
  additionalDirectories: readonly string[];
}

/** What an editor asks for when it opens a session. */
export interface NewSession extends Directories {
  mcpServers: readonly McpServerSpec[];
}

/** Throws `InputError` naming the field and the directory that will not do. */
export function checkDirectories({ cwd, additionalDirectories }: Directories): void {
  checkDirectory('cwd', cwd);
  for (const path of additionalDirectories) checkDirectory('additionalDirectories', path);
}

function checkDirectory(field: string, path: string): void {
  if (!isAbsolute(path)) {
    throw new InputError(`\`${field}\` must be an absolute path, got ${JSON.stringify(path)}.`);
  }
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new InputError(`\`${field}\`: the directory ${path} does not exist.`);
  if (!stats.isDirectory()) throw new InputError(`\`${field}\`: ${path} is not a directory.`);
}
