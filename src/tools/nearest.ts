/** Comparisons of lines that a search may take before it settles for the best so far. */
const COMPARISONS_MAX = 200_000;

/** The lines of a text that look most like what was searched. */
export interface Nearest {
  /** The first of them, counted from 1. */
  line: number;
  text: string;
  /** Nothing but white space is different. */
  onlyWhitespace: boolean;
}

/**
 * The window of lines that is most like `wanted`, for a search that found nothing. Undefined when
 * no window has a line in common with it worth the name.
 */
export function findNearest(text: string, wanted: string): Nearest | undefined {
  const lines = text.split('\n');
  const target = wanted.replace(/^\n+|\n+$/g, '').split('\n');
  const windows = Math.max(1, lines.length - target.length + 1);
  const stride = Math.ceil((windows * target.length) / COMPARISONS_MAX);
  let best = { start: 0, score: 0 };
  for (let start = 0; start < windows; start += stride) {
    let score = 0;
    for (const [offset, line] of target.entries()) {
      score += similarity(lines[start + offset] ?? '', line);
    }
    if (score > best.score) best = { start, score };
  }
  if (best.score / target.length < 0.4) return undefined;
  const found = lines.slice(best.start, best.start + target.length);
  return {
    line: best.start + 1,
    text: found.join('\n'),
    onlyWhitespace: squeeze(found.join('\n')) === squeeze(target.join('\n')),
  };
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, '');
}

// Cheap and good enough to point at a line: what two lines share, by the words in them.
function similarity(a: string, b: string): number {
  if (a.trim() === b.trim()) return a.trim() === '' ? 0.5 : 1;
  const [mine, theirs] = [words(a), words(b)];
  if (mine.size === 0 || theirs.size === 0) return 0;
  let shared = 0;
  for (const word of mine) if (theirs.has(word)) shared++;
  return shared / Math.max(mine.size, theirs.size);
}

function words(line: string): Set<string> {
  return new Set(line.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []);
}
