import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './errors.ts';

/**
 * Makes a directory that only its owner may enter, with the directories above it; nothing where it
 * is there. Throws the system's error. (Node's own `recursive` never returns where a file system
 * says of an existing parent that it is not there, as Linux's /proc does.)
 */
export function makePrivateDirectory(path: string): void {
  if (existsSync(path)) return;
  makePrivateDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
