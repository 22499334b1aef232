import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configDirectory } from '../base/directories.ts';
import { codeOf, messageOf, UserError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { makePrivateDirectory } from '../base/make_directory.ts';

/** The file of the keys that `planfold login` stores, by the provider's name; mode 0600. */
export function credentialsPath(env: NodeJS.ProcessEnv): string {
  return join(configDirectory(env), 'credentials.json');
}

/** The stored keys; none without the file. Throws `UserError` for one that is damaged. */
export function readCredentials(path: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isObject(value)) throw new Error('it holds no JSON object');
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, key]) =>
        typeof key === 'string' ? [[name, key]] : [],
      ),
    );
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    throw new UserError(
      `${path} cannot be read: ${messageOf(error)}. Remove it and run planfold login again.`,
    );
  }
}

/** Stores a key, for nobody but the owner to read. */
export function storeCredential(path: string, provider: string, key: string): void {
  write(path, { ...readCredentials(path), [provider]: key });
}

/** Forgets the key of a provider, or all of them. */
export function removeCredentials(path: string, provider?: string): void {
  const { [provider ?? '']: _, ...rest } = provider === undefined ? {} : readCredentials(path);
  if (Object.keys(rest).length === 0) rmSync(path, { force: true });
  else write(path, rest);
}

// Whole or not at all, and never readable by others, not even for a moment.
function write(path: string, keys: Record<string, string>): void {
  makePrivateDirectory(dirname(path));
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600, flush: true });
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
}
