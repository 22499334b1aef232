import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UserError } from '../base/errors.ts';
import {
  credentialsPath,
  readCredentials,
  removeCredentials,
  storeCredential,
} from '../model/credentials.ts';
import { resolveProviders } from '../model/provider.ts';

/** Reads a key, from the terminal without showing it or else from stdin, and stores it. */
export async function runLogin(
  write: (text: string) => void,
  provider: string | undefined,
): Promise<void> {
  const name = provider ?? resolveProviders(process.env).chosen.provider;
  const path = credentialsPath(process.env);
  // A file that is damaged is told of before anybody types a key.
  readCredentials(path);
  const key = (await readSecret(write, `API key for ${name}: `)).trim();
  if (key === '') throw new UserError('No key was given; nothing was stored.');
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UserError('The key holds a space or a character beyond ASCII; nothing was stored.');
  }
  storeCredential(path, name, key);
  write(`Stored the key for ${name} in ${path} (mode 0600).\n`);
}

/** Forgets the key of a provider, or all of them. */
export function runLogout(write: (text: string) => void, provider: string | undefined): void {
  const path = credentialsPath(process.env);
  removeCredentials(path, provider);
  write(`Forgot ${provider === undefined ? 'all stored keys' : `the key for ${provider}`}.\n`);
}

async function readSecret(write: (text: string) => void, prompt: string): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY) {
    const pieces: Buffer[] = [];
    for await (const piece of stdin) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces).toString('utf8');
  }
  write(prompt);
  const nowhere = new Writable({ write: (_, __, done) => done() });
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    write('\n');
  }
}
