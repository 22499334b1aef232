import { structuredPatch } from 'diff';

/** Lines of a diff that stand together: where they begin in both texts, and the lines. */
export interface Hunk {
  oldStart: number;
  newStart: number;
  /** Each begins with `-`, `+`, a space, or a backslash for a note. */
  lines: readonly string[];
}

// Beyond this the search for the shortest difference would take too long to be worth it.
const EDIT_LENGTH_MAX = 4000;

/** How two texts differ, with some lines around; null is a text that was not there. */
export function toHunks(oldText: string | null, newText: string): Hunk[] {
  const patch = structuredPatch('', '', oldText ?? '', newText, '', '', {
    context: 2,
    maxEditLength: EDIT_LENGTH_MAX,
  });
  if (patch) return patch.hunks;
  const lines = [
    ...linesOf(oldText ?? '').map((line) => `-${line}`),
    ...linesOf(newText).map((line) => `+${line}`),
  ];
  return [{ oldStart: 1, newStart: 1, lines }];
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/**
 * How two texts differ, as a person reads it in a terminal: lines with `-`, `+` and some context.
 */
export function toDiffLines(path: string, oldText: string, newText: string): string {
  return [path, ...toHunks(oldText, newText).flatMap((hunk) => hunk.lines)].join('\n');
}
