import { statSync } from 'node:fs';
import { FILE_BYTES_MAX } from './disk.ts';

/**
 * Those of `files` (absolute) that can be searched; the others are added to `tooLarge`. Sizes are
 * looked at before anything is searched, so that ripgrep makes no difference.
 */
export async function* withoutLarge(
  files: AsyncIterable<string>,
  tooLarge: string[],
): AsyncGenerator<string> {
  for await (const file of files) {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > FILE_BYTES_MAX) tooLarge.push(file);
    else yield file;
  }
}

const NAMED_MAX = 5;

/** What is said of the files that were not searched: it must not look as if nothing were there. */
export function toNote(tooLarge: readonly string[]): string {
  if (tooLarge.length === 0) return '';
  const more = tooLarge.length > NAMED_MAX ? `, and ${tooLarge.length - NAMED_MAX} more` : '';
  const named = tooLarge.slice(0, NAMED_MAX).join(', ');
  return `\n(not searched, for over ${FILE_BYTES_MAX} bytes: ${named}${more}; use bash)`;
}
