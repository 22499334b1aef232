const TITLE_LENGTH_MAX = 100;

/** The first line of a text as a title: control characters out, `…` where something is left out. */
export function titleOf(text: string): string {
  const [first = '', ...rest] = text.trim().split('\n');
  const letters = [...first.replace(/\p{Cc}+/gu, ' ').trim()];
  if (letters.length > TITLE_LENGTH_MAX) return `${letters.slice(0, TITLE_LENGTH_MAX).join('')}…`;
  return rest.length > 0 ? `${letters.join('')}…` : letters.join('');
}
