// In a file that is not UTF-8 a letter may be one high byte.
const ANY = String.raw`(?:[^\n]|(?-u:[\x80-\xff]))`;

const SHORTHANDS: Readonly<Record<string, string>> = { d: '0-9', w: '0-9A-Za-z_' };

const TOKEN = new RegExp(
  [
    String.raw`(?<set>\[(?:[\w ,;:!=<>"'/@#%(){}?*+|.$]|\\[dw.\-\]\[\\^$/]`,
    String.raw`|(?<=(?<!\\)\w)-(?=\w))+\])`,
    String.raw`|\\(?<shorthand>[dwb])`,
    String.raw`|\\(?<mark>[\^$.|?*+()[\]{}\\/])`,
    String.raw`|(?<any>\.)`,
    String.raw`|(?<same>\(\?:|\((?!\?)|[)|^$]|[*+?]\??|\{\d{1,2}(?:,\d{0,2})?\}\??`,
    String.raw`|[^\\[\](){}?*+|.^$])`,
  ].join(''),
  'y',
);

/**
 * A pattern by which ripgrep finds every line that the JavaScript expression `pattern` finds, and
 * hardly more. Undefined when none is sure to: for look-around, negated sets, `\s` (which takes in
 * a lone carriage return), and letters outside ASCII, which a file that is not UTF-8 spells
 * differently. `pattern` must be a valid JavaScript expression.
 */
export function toRipgrepPattern(pattern: string, ignoreCase: boolean): string | undefined {
  if (!/^[\x20-\x7e]*$/.test(pattern)) return undefined;
  // Without regard to case, `\w` and `\b` know two letters outside ASCII in JavaScript.
  if (ignoreCase && /\\[wb]/.test(pattern)) return undefined;
  let translated = '';
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < pattern.length) {
    const groups = TOKEN.exec(pattern)?.groups;
    if (!groups) return undefined;
    translated += translate(groups);
  }
  return translated;
}

function translate(groups: Readonly<Record<string, string | undefined>>): string {
  const { set, shorthand, mark, any, same } = groups;
  if (set !== undefined) {
    return set.replace(/\\(.)/g, (escape, letter: string) =>
      letter === '/' ? '/' : (SHORTHANDS[letter] ?? escape),
    );
  }
  if (shorthand === 'b') return String.raw`(?-u:\b)`;
  if (shorthand !== undefined) return `[${SHORTHANDS[shorthand] ?? ''}]`;
  if (mark !== undefined) return mark === '/' ? '/' : `\\${mark}`;
  return any === undefined ? (same ?? '') : ANY;
}
