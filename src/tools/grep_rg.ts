// Every letter of a pattern that both engines read alike, and what ripgrep is given for it. The
// sets are those of JavaScript, whose `\d`, `\w` and `\b` know ASCII only.
const SHORTHANDS: Readonly<Record<string, string>> = {
  d: '0-9',
  w: '0-9A-Za-z_',
  s:
    '\\t\\x0b\\x0c\\x20\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}' +
    '\\x{205f}\\x{3000}\\x{feff}',
};

const ANY = '[^\\r\\n\\x{2028}\\x{2029}]';

const TOKEN = new RegExp(
  [
    String.raw`(?<set>\[\^?(?:[\w ,;:!=<>"'/@#%(){}?*+|.$]|\\[dws.\-\]\[\\^$/]|(?<=(?<!\\)\w)-(?=\w))+\])`,
    String.raw`\\(?<shorthand>[dwsb])`,
    String.raw`\\(?<mark>[\^$.|?*+()[\]{}\\/])`,
    String.raw`(?<any>\.)`,
    String.raw`(?<same>\(\?:|\((?!\?)|[)|^$]|[*+?]\??|\{\d{1,2}(?:,\d{0,2})?\}\??|[^\\[\](){}?*+|.^$])`,
  ].join('|'),
  'y',
);

/**
 * The pattern that makes ripgrep find what the JavaScript expression `pattern` finds; undefined when
 * there is none that is sure to, as for look-around, `(?i)`, or letters outside ASCII, which a file
 * that is not UTF-8 spells otherwise. `pattern` must be a valid JavaScript expression.
 */
export function toRipgrepPattern(pattern: string, ignoreCase: boolean): string | undefined {
  if (!/^[\x20-\x7e]*$/.test(pattern)) return undefined;
  // Without regard to case, `\w` and `\b` take in two letters outside ASCII in JavaScript.
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
  if (shorthand !== undefined) {
    return shorthand === 'b' ? '(?-u:\\b)' : `[${SHORTHANDS[shorthand] ?? ''}]`;
  }
  if (mark !== undefined) return mark === '/' ? '/' : `\\${mark}`;
  return any === undefined ? (same ?? '') : ANY;
}
