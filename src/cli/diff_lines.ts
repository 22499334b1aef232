import { structuredPatch } from 'diff';

/**
 * How two texts differ, as a person reads it in a terminal: lines with `-`, `+` and some context.
 */
export function toDiffLines(path: string, oldText: string, newText: string): string {
  const { hunks } = structuredPatch(path, path, oldText, newText, '', '', { context: 2 });
  return [path, ...hunks.flatMap((hunk) => hunk.lines)].join('\n');
}
