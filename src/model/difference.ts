/**
 * Says where two values part, from their first different byte on, with both sides: to be put right
 * behind the name of the place where they stand.
 */
export function describeDifference(now: unknown, recorded: unknown): string {
  if (typeof now !== 'string' || typeof recorded !== 'string') {
    const [mine, theirs] = [JSON.stringify(now) ?? 'absent', JSON.stringify(recorded) ?? 'absent'];
    const at = firstDifferent(mine, theirs);
    return `: now ${excerpt(mine, at)}, recorded ${excerpt(theirs, at)}.`;
  }
  const at = firstDifferent(now, recorded);
  const [mine, theirs] = [now, recorded].map((text) => JSON.stringify(excerpt(text, at)));
  const byte = Buffer.byteLength(now.slice(0, at)) + 1;
  return `, byte ${byte}: now ${mine}, recorded ${theirs}.`;
}

const EXCERPT_LENGTH = 60;

function firstDifferent(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

// A long text is shown from a little before the character at which it differs.
function excerpt(text: string, at: number): string {
  const start = Math.max(0, at - 20);
  const cut = text.slice(start, start + EXCERPT_LENGTH);
  return `${start > 0 ? '…' : ''}${cut}${start + EXCERPT_LENGTH < text.length ? '…' : ''}`;
}
