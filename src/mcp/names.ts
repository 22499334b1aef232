import { createHash } from 'node:crypto';

/** The longest name that providers take. */
const NAME_LENGTH_MAX = 64;

/**
 * The name under which the model calls a tool: `mcp__<server>__<tool>`. What a provider would not
 * take, for its letters or its length, is told apart by a digest of the whole name, and so is what
 * `taken` has already: the same tool has the same name in each request and after each start.
 */
export function toToolName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const whole = `mcp__${server}__${tool}`;
  const plain = whole.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (plain === whole && plain.length <= NAME_LENGTH_MAX && !taken.has(plain)) return plain;
  const digest = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8);
  const name = `${plain.slice(0, NAME_LENGTH_MAX - digest.length - 1)}_${digest}`;
  for (let copy = 2, unique = name; ; copy++) {
    if (!taken.has(unique)) return unique;
    unique = `${name.slice(0, NAME_LENGTH_MAX - 3)}_${copy}`;
  }
}
