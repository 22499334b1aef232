/** What the benchmarks share: medians, and a table of what was measured against its limit. */

/** @param {readonly number[]} numbers */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below = Number.NaN, above = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? above : (below + above) / 2;
}

/** @param {string} line */
export function print(line) {
  process.stdout.write(`${line}\n`);
}

/** @param {string[]} cells */
export function printRow([first = '', ...rest]) {
  print(first.padEnd(34) + rest.map((cell) => cell.padStart(12)).join(''));
}

/**
 * Prints a figure beside another one. `limit` is the highest ratio of the two that passes, `slack`
 * the most that the first may have over the second.
 * @param {string} title
 * @param {{ ours: number, theirs: number, unit: string, limit?: number, slack?: number }} figures
 * @returns {boolean} whether it passes; a figure that could not be measured does not
 */
export function report(title, { ours, theirs, unit, limit, slack }) {
  const ratio = ours / theirs;
  const isWithin =
    (limit === undefined || ratio <= limit) && (slack === undefined || ours - theirs <= slack);
  const compared =
    slack === undefined
      ? [ratio.toFixed(2), limit?.toFixed(1) ?? '']
      : [`+${(ours - theirs).toFixed(1)} ${unit}`, `+${slack} ${unit}`];
  printRow([
    title,
    ...[ours, theirs].map((figure) => `${figure.toFixed(1)} ${unit}`),
    ...compared,
    isWithin ? '' : 'missed',
  ]);
  return isWithin;
}
