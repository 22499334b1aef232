import { readFileSync } from 'node:fs';
import { isObject } from '../base/json.ts';
import { messageOf, UserError } from '../base/errors.ts';
import { LOG_VERSION, type LogEvent } from './events.ts';
import { EVENT_TYPES, logEventSchema } from './schema.ts';

/**
 * All events of a log file, checked. Throws `UserError` naming file, line and reason for a line that
 * is no event, an unknown event type, a newer format, or a gap in `seq`.
 */
export function readLog(path: string): LogEvent[] {
  // Only "\n" ends a line: JSON text may hold any other separator that Unicode knows.
  const lines = readFileSync(path, 'utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((text, index) => readLine(text, { path, line: index + 1 }));
}

/** Reads line number `line` (from 1) of the log at `path`. Throws `UserError`. */
export function readLine(text: string, at: { path: string; line: number }): LogEvent {
  const refuse = (reason: string) => new UserError(`${at.path}, line ${at.line}: ${reason}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(`not JSON: ${messageOf(error)}`);
  }
  const type = isObject(value) ? value['type'] : undefined;
  if (typeof type !== 'string' || !EVENT_TYPES.has(type)) {
    throw refuse(`unknown event type ${JSON.stringify(type)}; a newer Planfold may know it.`);
  }
  if (isObject(value) && type === 'session/created' && Number(value['v']) > LOG_VERSION) {
    throw refuse(`log format ${String(value['v'])}; this Planfold reads up to ${LOG_VERSION}.`);
  }
  const parsed = logEventSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(`${type} does not fit: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  if (parsed.data.seq !== at.line) {
    throw refuse(`seq is ${parsed.data.seq}, expected ${at.line}.`);
  }
  return parsed.data;
}
