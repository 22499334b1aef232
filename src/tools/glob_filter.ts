import { relative } from 'node:path';
import picomatch from 'picomatch';
import { createStoppable } from './stoppable.ts';

const SLOW =
  'the glob takes too long on the names of these files. Make it simpler, with fewer `*` in one ' +
  'part of the path.';

// So many names are matched at a time: to watch the clock for each of them would cost more.
const BATCH_FILES_MAX = 500;

/** Which files are wanted: those whose path below `root` (absolute) matches `pattern`. */
export interface GlobFilter {
  root: string;
  pattern: string;
  /** A pattern without a slash is about the name alone, in whatever directory the file is. */
  nameAlone: boolean;
}

/**
 * Those of `files` (absolute) that are wanted, in their order. Throws for a pattern that would go
 * on for ever.
 */
export async function* filterByGlob(
  files: AsyncIterable<string>,
  { root, pattern, nameAlone }: GlobFilter,
): AsyncGenerator<string> {
  const matchBase = nameAlone && !pattern.includes('/');
  // `s`: a file name may hold a line break.
  const options = { dot: true, matchBase, flags: 's' };
  const matches = picomatch(pattern.replace(/^\.\//, ''), options);
  const choose = createStoppable(
    (batch: readonly string[]) => batch.filter((file) => matches(relative(root, file))),
    SLOW,
  );
  let batch: string[] = [];
  for await (const file of files) {
    batch.push(file);
    if (batch.length < BATCH_FILES_MAX) continue;
    yield* choose(batch);
    batch = [];
  }
  yield* choose(batch);
}
