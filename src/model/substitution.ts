/** Swaps what differs between machines for named placeholders, and back, in JSON text. */
export interface Substitution {
  toRecorded: (jsonText: string) => string;
  toActual: (jsonText: string) => string;
}

/** `values` by placeholder name: `{ cwd: '/tmp/x' }` stands as `{{cwd}}` in a recording. */
export function createSubstitution(values: Readonly<Record<string, string>>): Substitution {
  const pairs = Object.entries(values)
    .map(([name, value]) => ({ mark: `{{${name}}}`, text: JSON.stringify(value).slice(1, -1) }))
    // A path inside another must not be cut out of it first.
    .toSorted((a, b) => b.text.length - a.text.length);
  return {
    toRecorded: (json) => pairs.reduce((text, pair) => text.replaceAll(pair.text, pair.mark), json),
    toActual: (json) => pairs.reduce((text, pair) => text.replaceAll(pair.mark, pair.text), json),
  };
}
