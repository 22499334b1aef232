import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { UserError } from '../base/errors.ts';
import { walkFiles } from '../tools/walk.ts';

const BYTES_MAX = 64 * 1024 * 1024;

/** What is named like these holds secrets more often than not. */
const SECRET_NAMES = /^(\.env(\..*)?|\.npmrc|\.netrc|id_\w+|.*\.(pem|key|p12))$/;

/**
 * Copies the files of `cwd` to `target`: none that git ignores, none that by its name holds
 * secrets, and with texts as `scrub` gives them back. Throws `UserError` when they are too many
 * bytes.
 */
export async function copyWorkspace(
  cwd: string,
  target: string,
  scrub: (text: string) => string,
): Promise<void> {
  let bytes = 0;
  mkdirSync(target, { recursive: true });
  for await (const path of walkFiles(cwd, new AbortController().signal)) {
    if (SECRET_NAMES.test(basename(path))) continue;
    bytes += statSync(path).size;
    if (bytes > BYTES_MAX) {
      throw new UserError(
        `The workspace ${cwd} has more than ${BYTES_MAX / 1024 / 1024} MiB beside what git ` +
          'ignores, too much for a recording. Record in a smaller directory.',
      );
    }
    copyFile(path, join(target, relative(cwd, path)), scrub);
  }
}

/** Copies one file with its texts as `scrub` gives them back. */
export function copyFile(from: string, to: string, scrub: (text: string) => string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  const bytes = readFileSync(from);
  const text = bytes.toString('latin1');
  // Byte for byte, so that no encoding is harmed.
  const scrubbed = scrub(text);
  if (scrubbed !== text) writeFileSync(to, scrubbed, 'latin1');
}
