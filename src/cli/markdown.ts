import { createInline } from './markdown_inline.ts';
import { createPen, type Pen } from './pen.ts';
import { type Look, toVisible } from './terminal.ts';

/** Markdown on its way into a terminal. */
export interface Markdown {
  /** A further piece, cut anywhere. What can be shown of it is written at once. */
  push: (text: string) => void;
  /** Nothing follows. */
  end: () => void;
}

/**
 * Styles markdown as it streams. Marks of bold, code and headings are left out, all others stay:
 * what turns out to be no markup has lost nothing. Tables stay as they are, and a link shows where
 * it leads, so that its text cannot pretend another place. What is never closed ends with its line
 * (code) or its paragraph. Every piece ends with plain looks: whoever writes next is not styled.
 */
export function createMarkdown(write: (text: string) => void): Markdown {
  const pen = createPen();
  const lines = createLines(pen);
  let half = '';
  const flush = () => {
    const text = pen.take();
    if (text !== '') write(text);
  };
  return {
    push(piece) {
      // A character beyond the basic plane may be cut in two as well.
      const [, whole = '', rest = ''] = /^([^]*?)([\uD800-\uDBFF]?)$/.exec(half + piece) ?? [];
      half = rest;
      for (const char of toVisible(whole)) lines.step(char);
      flush();
    },
    end() {
      lines.end();
      flush();
    },
  };
}

/** What the rest of a line is, once its beginning has told. */
type Line = 'text' | 'raw' | 'code';

const HEADING: readonly (readonly Look[])[] = [['bold', 'underline'], ['bold']];

function createLines(pen: Pen): { step: (char: string) => void; end: () => void } {
  const inline = createInline(pen);
  // The beginning of a line, until it says what the line is.
  let lead: string | undefined = '';
  let line: Line = 'text';
  let fence: string | undefined;

  const begin = (kind: Line, text: string) => {
    lead = undefined;
    line = kind;
    for (const char of text) step(char);
  };
  const block = (text: string, looks: readonly Look[], rest = '') => {
    inline.endParagraph();
    pen.put(text, looks);
    lead = '';
    for (const char of rest) step(char);
  };
  const decide = (start: string) => {
    const found = fence === undefined ? readLead(start) : readCodeLead(start, fence);
    switch (found.kind) {
      case 'open':
        return;
      case 'fence':
        fence = fence === undefined ? found.mark : undefined;
        return block(found.text, ['dim'], '\n');
      case 'rule':
        return block(found.text, ['dim'], '\n');
      case 'bullet':
      case 'quote':
        return block(found.text, found.kind === 'quote' ? ['dim'] : [], found.rest);
      case 'heading':
        block('', []);
        inline.head(HEADING[found.level - 1] ?? ['bold']);
        return begin('text', '');
      case 'blank':
        inline.endParagraph();
        pen.put('\n');
        lead = '';
        return;
      case 'text':
      case 'raw':
      case 'code':
        if (found.kind === 'raw') inline.endParagraph();
        return begin(found.kind, start);
    }
  };
  const step = (char: string) => {
    if (lead !== undefined) {
      lead += char;
      return decide(lead);
    }
    if (line === 'text') inline.push(char);
    else pen.put(char, line === 'code' ? ['cyan'] : []);
    if (char === '\n') lead = '';
  };
  return {
    step,
    end() {
      if (lead) begin(fence === undefined ? 'text' : 'code', lead);
      inline.endParagraph();
      lead = '';
      fence = undefined;
    },
  };
}

/** What the beginning of a line is: still open, or a block and what of it is shown. */
type Lead =
  | { kind: 'open' | 'blank' | Line }
  | { kind: 'fence'; mark: string; text: string }
  | { kind: 'rule'; text: string }
  | { kind: 'bullet' | 'quote'; text: string; rest: string }
  | { kind: 'heading'; level: number };

function readLead(start: string): Lead {
  if (/^\s*\n$/.test(start)) return { kind: 'blank' };
  const [, fence = '', info = ''] = /^\s*(`{3,}|~{3,})(.*)/.exec(start) ?? [];
  if (fence !== '' && !info.includes('`')) {
    if (!start.endsWith('\n')) return { kind: 'open' };
    return { kind: 'fence', mark: fence, text: start.slice(0, -1) };
  }
  if (/^ {0,3}([-*_])( *\1){2,} *\n$/.test(start))
    return { kind: 'rule', text: start.slice(0, -1) };
  const [, heading = ''] = /^ {0,3}(#{1,6}) $/.exec(start) ?? [];
  if (heading !== '') return { kind: 'heading', level: heading.length };
  const [, bullet] = /^(\s*)[-*+] $/.exec(start) ?? [];
  if (bullet !== undefined) return { kind: 'bullet', text: `${bullet}• `, rest: '' };
  if (/^\s*\d{1,9}[.)] $/.test(start)) return { kind: 'bullet', text: start, rest: '' };
  const [, quote, next = ''] = /^(\s*)>([^])$/.exec(start) ?? [];
  if (quote !== undefined)
    return { kind: 'quote', text: `${quote}│ `, rest: next === ' ' ? '' : next };
  if (/^\s*\|/.test(start)) return { kind: 'raw' };
  return { kind: OPEN.test(start) ? 'open' : 'text' };
}

// White space, and behind it what may become a mark of a block.
const OPEN = /^\s*(#{0,6}|>|[-*+]|\d{1,9}[.)]?|([-*_])( *\2)*|`{1,2}|~{1,2})$/;

function readCodeLead(start: string, fence: string): Lead {
  const closes = new RegExp(`^\\s*${fence}${fence[0]}*[ \\t]*\\n$`).test(start);
  if (closes) return { kind: 'fence', mark: fence, text: start.slice(0, -1) };
  const open = new RegExp(`^\\s*[${fence[0]}]*[ \\t]*$`).test(start) && !start.endsWith('\n');
  return { kind: open ? 'open' : 'code' };
}
