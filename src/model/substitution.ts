/** Swaps what differs between machines for named placeholders, and back, in JSON text. */
export interface Substitution {
  toRecorded: (jsonText: string) => string;
  toActual: (jsonText: string) => string;
}

/**
 * `values` by placeholder name: `{ cwd: '/tmp/x' }` stands as `{{cwd}}` in a recording. Where one
 * value is part of another, the longer one is taken; an empty value is never replaced.
 */
export function createSubstitution(values: Readonly<Record<string, string>>): Substitution {
  const pairs = Object.entries(values)
    .map(([name, value]) => ({ mark: `{{${name}}}`, text: JSON.stringify(value).slice(1, -1) }))
    .filter(({ text }) => text !== '')
    .toSorted((a, b) => b.text.length - a.text.length);
  return {
    toRecorded: replacer(new Map(pairs.map(({ mark, text }) => [text, mark]))),
    toActual: replacer(new Map(pairs.map(({ mark, text }) => [mark, text]))),
  };
}

// One pass over the text, so that nothing is replaced in what a replacement has put there.
function replacer(pairs: ReadonlyMap<string, string>): (text: string) => string {
  if (pairs.size === 0) return (text) => text;
  const sought = [...pairs.keys()].map((key) => key.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const pattern = new RegExp(sought.join('|'), 'g');
  return (text) => text.replace(pattern, (found) => pairs.get(found) ?? found);
}
