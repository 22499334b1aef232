import { toVisible } from '../terminal.ts';

/** A piece of HTML that is safe to put into a page. Only `markup` and `trust` make one. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: text is escaped, pieces are taken as they are. */
export type Insert = Html | string | number | undefined | readonly Insert[];

/**
 * A template whose every string is made visible and escaped, wherever it stands: between tags or in
 * a quoted attribute. `undefined` is nothing.
 */
export function markup(strings: TemplateStringsArray, ...inserts: Insert[]): Html {
  return new Html(String.raw({ raw: strings }, ...inserts.map(render)));
}

/** Markup that does not come from a log, or that was made safe elsewhere. */
export function trust(safe: string): Html {
  return new Html(safe);
}

function render(insert: Insert): string {
  if (insert === undefined) return '';
  if (insert instanceof Html) return insert.text;
  if (typeof insert === 'object') return insert.map(render).join('');
  return escapeHtml(toVisible(String(insert)));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
