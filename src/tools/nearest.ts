/** Comparisons of lines that a search may take before it settles for the best so far. */
const COMPARISONS_MAX = 50_000;
/** So much of a line is compared, in characters. */
const COMPARED_LENGTH_MAX = 1000;

/** The lines of a text that look most like what was searched. */
export interface Nearest {
  /** The first of them, counted from 1. */
  line: number;
  lines: readonly string[];
  /** Nothing but white space is different. */
  onlyWhitespace: boolean;
}

/**
 * The window of lines that is most like `wanted`, for a search that found nothing. Undefined when
 * no window has a line in common with it worth the name. The work is bounded: in a long text the
 * windows with the same lines are found, of the others only some are looked at.
 */
export function findNearest(text: string, wanted: string): Nearest | undefined {
  const lines = text.split('\n');
  const target = wanted.replace(/^\n+|\n+$/g, '').split('\n');
  const compare = target.map((line) => similarityTo(line));
  const windows = Math.max(1, lines.length - target.length + 1);
  const stride = Math.ceil((windows * target.length) / COMPARISONS_MAX);
  let best = { start: 0, score: 0 };
  const look = (start: number) => {
    let score = 0;
    for (const [offset, similarity] of compare.entries()) {
      score += similarity(lines[start + offset] ?? '');
    }
    if (score > best.score) best = { start, score };
  };
  look(Math.min(windows - 1, Math.max(0, startBySameLines(lines, target))));
  for (let start = 0; start < windows; start += stride) look(start);
  if (best.score / target.length < 0.4) return undefined;
  const found = lines.slice(best.start, best.start + target.length);
  return {
    line: best.start + 1,
    lines: found,
    onlyWhitespace: squeeze(found.join('\n')) === squeeze(target.join('\n')),
  };
}

// Where most lines of `target` would stand in their places, white space aside.
function startBySameLines(lines: readonly string[], target: readonly string[]): number {
  const places = new Map<string, number>();
  for (const [offset, line] of target.entries()) {
    if (line.trim() !== '' && !places.has(line.trim())) places.set(line.trim(), offset);
  }
  const votes = new Map<number, number>();
  let best = { start: 0, count: 0 };
  for (const [index, line] of lines.entries()) {
    const offset = places.get(line.trim());
    if (offset === undefined) continue;
    const start = index - offset;
    const count = (votes.get(start) ?? 0) + 1;
    votes.set(start, count);
    if (count > best.count) best = { start, count };
  }
  return best.start;
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, '');
}

// Cheap and good enough to point at a line: what two lines share, by the words in them.
function similarityTo(wanted: string): (line: string) => number {
  const theirs = words(wanted);
  return (line) => {
    if (line.trim() === wanted.trim()) return wanted.trim() === '' ? 0.5 : 1;
    const mine = words(line);
    return mine.size === 0 || theirs.size === 0
      ? 0
      : shared(mine, theirs) / Math.max(mine.size, theirs.size);
  };
}

function shared(mine: ReadonlySet<string>, theirs: ReadonlySet<string>): number {
  let count = 0;
  for (const one of mine) if (theirs.has(one)) count++;
  return count;
}

function words(line: string): Set<string> {
  const compared = line.slice(0, COMPARED_LENGTH_MAX);
  return new Set(compared.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []);
}

const NAMES_MAX = 5;

/** Those of `names` that look like `wanted`, the most alike first, at most five. */
export function findNearestNames(names: readonly string[], wanted: string): string[] {
  const letters = pairs(wanted);
  return names
    .map((name) => {
      const mine = pairs(name);
      return { name, score: (2 * shared(mine, letters)) / (mine.size + letters.size) };
    })
    .filter(({ score }) => score >= 0.5)
    .toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, NAMES_MAX)
    .map(({ name }) => name);
}

// Each two letters that stand together, with the start, so that one wrong letter costs little.
function pairs(name: string): Set<string> {
  const text = `^${name.toLowerCase()}`;
  return new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)));
}
