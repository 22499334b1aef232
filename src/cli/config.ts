import { isObject } from '../base/json.ts';
import { type Origin, resolveConfig, type ResolvedValue } from '../config/resolved.ts';
import { toConfigJsonSchema } from '../config/schema.ts';

type Write = (text: string) => void;

/** `planfold config`: what is in force in this directory and where it comes from. */
export function runConfig(write: Write, { json = false }: { json?: boolean }): void {
  const resolved = resolveConfig({ env: process.env, cwd: process.cwd() });
  if (json) {
    write(`${JSON.stringify(resolved, null, 2)}\n`);
    return;
  }
  for (const { whose, path, isThere } of resolved.files) {
    write(`${whose === 'user' ? 'yours' : "project's"}: ${path}${isThere ? '' : ' (not there)'}\n`);
  }
  write(`\n${toTable(resolved.values.map(toCells))}`);
  if (resolved.ignored.length > 0) write(`\n${resolved.ignored.join('\n')}\n`);
}

/** `planfold config --schema`: the JSON Schema of a configuration file. */
export function runConfigSchema(write: Write): void {
  write(`${JSON.stringify(toConfigJsonSchema(), null, 2)}\n`);
}

function toCells({ key, value, origin }: ResolvedValue): string[] {
  return [key, toText(value), nameOf(origin)];
}

function nameOf(origin: Origin): string {
  switch (origin.from) {
    case 'default':
      return 'default';
    case 'user':
      return 'yours';
    case 'project':
      return "project's";
    case 'environment':
      return origin.name;
  }
}

const SHOWN_LENGTH_MAX = 60;

function toText(value: ResolvedValue['value']): string {
  // What a mode tells the model, and where an endpoint is; the rest is in the JSON.
  const shown = isObject(value) ? (value['section'] ?? value['baseURL']) : value;
  const text = String(shown).replaceAll(/\s+/g, ' ');
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX - 1)}…` : text;
}

function toTable(rows: readonly string[][]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
