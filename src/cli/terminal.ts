import { stripVTControlCharacters } from 'node:util';

/** How a stretch of text looks. */
export type Look = keyof typeof CODES;

const CODES = {
  bold: 1,
  dim: 2,
  italic: 3,
  underline: 4,
  strike: 9,
  red: 31,
  green: 32,
  yellow: 33,
  cyan: 36,
} as const;

/** The sequence after which text has exactly these looks. */
export function toSequence(looks: readonly Look[]): string {
  return `\x1b[${[0, ...looks.map((look) => CODES[look])].join(';')}m`;
}

/** Whether a stream is a terminal that shows looks: `NO_COLOR` and `TERM=dumb` are honoured. */
export function isStyled(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && stream.hasColors();
}

/** Whether somebody sits at the terminal who can be asked. */
export function isPersonThere(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

// Fillers take no room. Joiners and the soft hyphen belong to words and emoji; the rest of these
// can only mislead.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;
const HARMLESS = new Set(['\n', '\t', '\u{200c}', '\u{200d}', '\u{ad}']);

/**
 * A text from elsewhere as a terminal may have it: no character in it moves the cursor, changes
 * colours or turns the direction of writing. Each shows as what it is instead; a CR is left out.
 */
export function toVisible(text: string): string {
  return text.replace(HIDDEN, (char) => (HARMLESS.has(char) ? char : nameOf(char)));
}

function nameOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (char === '\r') return '';
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** The output of a program, whose colours are no attack: they are left out, the rest is visible. */
export function toPlain(text: string): string {
  return toVisible(stripVTControlCharacters(text));
}

/** The start of one line of output that takes at most `columns`; white space in it is one space. */
export function fit(text: string, columns: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  let width = 0;
  let shown = '';
  for (const char of line) {
    // What is not ASCII may be two columns wide.
    width += char < '\x7f' ? 1 : 2;
    if (width > columns) return `${[...shown].slice(0, -2).join('')}…`;
    shown += char;
  }
  return shown;
}
