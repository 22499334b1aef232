import type { Pen } from './pen.ts';
import type { Look } from './terminal.ts';

/** The text of a paragraph, a heading or an item, character by character. */
export interface Inline {
  push: (char: string) => void;
  /** What follows in this line is a heading. */
  head: (looks: readonly Look[]) => void;
  /** Whatever is open is closed. */
  endParagraph: () => void;
}

const MARKS = new Set(['*', '_', '~', '`']);
const ESCAPED = /[*_~`#[\]|\\]/;

/** The inline part of `createMarkdown`. */
export function createInline({ put }: { put: Pen['put'] }): Inline {
  let head: readonly Look[] = [];
  let code: string | undefined;
  let url = false;
  // A run of one mark, or a backslash: what it means depends on the next character.
  let held = '';
  let before = '\n';

  const show = (text: string, more: readonly Look[] = []) => {
    put(text, [...head, ...emphasis.looks(), ...more]);
  };
  const emphasis = createEmphasis((mark) => show(mark, ['dim']));
  const settle = (next: string) => {
    const run = held;
    held = '';
    if (run === '') return;
    if (run === '\\') {
      if (!ESCAPED.test(next)) show('\\');
    } else if (code !== undefined) {
      if (run === code) code = undefined;
      else show(run, ['cyan']);
    } else if (run.startsWith('`')) {
      if (next === '\n') show(run);
      else code = run;
    } else if (url || !emphasis.turn(run, { before, next })) {
      show(run, url ? ['underline'] : []);
    }
    before = run.at(-1) ?? before;
  };
  const endLine = () => {
    settle('\n');
    head = [];
    code = undefined;
    url = false;
    before = '\n';
  };
  return {
    push(char) {
      if (held === '\\' && ESCAPED.test(char)) {
        held = '';
        before = char;
        return show(char);
      }
      if (held !== '' && !held.startsWith(char)) settle(char);
      if (code === undefined ? MARKS.has(char) : char === '`') {
        held += char;
        return;
      }
      if (char === '\\' && code === undefined) {
        held = char;
        return;
      }
      if (char === '\n') {
        endLine();
        return put(char);
      }
      if (url && /[\s)]/.test(char)) url = false;
      show(char, code !== undefined ? ['cyan'] : url ? ['underline'] : []);
      if (char === '(' && before === ']') url = true;
      before = char;
    },
    head(looks) {
      head = looks;
    },
    endParagraph() {
      endLine();
      emphasis.end();
    },
  };
}

/** What stands on both sides of a run of marks. */
interface Sides {
  before: string;
  next: string;
}

function createEmphasis(showMark: (mark: string) => void) {
  // Each look that is open, with the mark that opened it.
  const open = new Map<Look, string>();
  return {
    looks: () => open.keys(),
    end: () => open.clear(),
    /** Opens or closes what a run of `*`, `_` or `~` means; false where it means nothing. */
    turn(run: string, sides: Sides): boolean {
      const looks = looksOf(run);
      if (looks.length === 0) return false;
      if (looks.every((look) => open.get(look) === run[0]) && canClose(run, sides)) {
        for (const look of looks) open.delete(look);
      } else if (looks.every((look) => !open.has(look)) && canOpen(run, sides)) {
        for (const look of looks) open.set(look, run.charAt(0));
      } else {
        return false;
      }
      // A single mark may be a pointer or a product after all, so it stays.
      if (run.length === 1) showMark(run);
      return true;
    },
  };
}

function looksOf(run: string): Look[] {
  if (run.startsWith('~')) return run.length === 2 ? ['strike'] : [];
  // `__init__` is a name.
  if (run.startsWith('_') && run.length > 1) return [];
  switch (run.length) {
    case 1:
      return ['italic'];
    case 2:
      return ['bold'];
    case 3:
      return ['bold', 'italic'];
    default:
      return [];
  }
}

// Stricter than CommonMark, which can look ahead for the end: `a*b`, `2 ** 3`, `src/**/*.ts`,
// `snake_case` and a single `*.ts` stay what they are. Where no spaces are written between words,
// marks stand right behind a letter.
function canOpen(run: string, { before, next }: Sides): boolean {
  if (/[A-Za-z0-9/\\)\].$]/.test(before)) return false;
  if (run.startsWith('_') && /[\p{L}\p{N}]/u.test(before)) return false;
  if (/[^\s\x21-\x7e]/u.test(next)) return true;
  return (run.length === 1 ? /[\w`[("'<*~]/ : /[\w`[("'<*~.\-+#@$]/).test(next);
}

function canClose(run: string, { before, next }: Sides): boolean {
  return /\S/.test(before) && !(run.startsWith('_') && /[\p{L}\p{N}]/u.test(next));
}
