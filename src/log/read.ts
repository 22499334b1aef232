import { closeSync, openSync } from 'node:fs';
import { messageOf, UserError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { LOG_VERSION, type LogEvent } from './events.ts';
import { type Line, readLines } from './lines.ts';
import { eventTypes, logEventSchema } from './schema.ts';

/** An event and where its line ends in the file. */
export interface ReadEvent {
  event: LogEvent;
  /** Offset behind the newline. */
  end: number;
}

/** A place between two lines: the offset, and the `seq` of the event before it. */
export interface LogPosition {
  offset: number;
  seq: number;
}

const START: LogPosition = { offset: 0, seq: 0 };

/** A log that cannot be read: damaged, or of a newer format. The file is left as it is. */
export class DamagedLogError extends UserError {
  override readonly name = 'DamagedLogError';
}

/**
 * The events of an open log, from a position on, one at a time. What a crash left of a last line
 * that was never finished is not among them: the events end before it. Throws `DamagedLogError`
 * naming file, line and reason for a line in the middle that is no event, an unknown type, a newer
 * format, or a gap in `seq`.
 */
export function* readEvents(
  fd: number,
  path: string,
  from: LogPosition = START,
): Generator<ReadEvent> {
  let number = from.seq;
  let held: Line | undefined;
  for (const line of readLines(fd, from.offset)) {
    if (held) yield { event: readLine(held.bytes, { path, line: ++number }), end: held.end };
    held = line;
  }
  // Only of the last line can a crash have left a half; and half a line is no JSON.
  if (!held?.whole || !isJson(held.bytes)) return;
  yield { event: readLine(held.bytes, { path, line: ++number }), end: held.end };
}

/** All events of the log at `path`. Throws as `readEvents` does. */
export function readLog(path: string): LogEvent[] {
  const fd = openSync(path, 'r');
  try {
    return [...readEvents(fd, path)].map(({ event }) => event);
  } finally {
    closeSync(fd);
  }
}

/** Reads line number `line` (from 1) of the log at `path`. Throws `DamagedLogError`. */
export function readLine(
  bytes: Uint8Array | string,
  { path, line }: { path: string; line: number },
): LogEvent {
  const refuse = (reason: string) => {
    const way =
      'The file was left as it is; `planfold sessions salvage` makes a new session of the';
    return new DamagedLogError(`${path}, line ${line}: ${reason} ${way} whole turns before it.`);
  };
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (error) {
    throw refuse(`not JSON (${messageOf(error)}).`);
  }
  const type = isObject(value) ? value['type'] : undefined;
  if (typeof type !== 'string' || !eventTypes().has(type)) {
    throw refuse(`unknown event type ${JSON.stringify(type)}; a newer Planfold may know it.`);
  }
  if (isObject(value) && type === 'session/created' && Number(value['v']) > LOG_VERSION) {
    throw refuse(`log format ${String(value['v'])}; this Planfold reads up to ${LOG_VERSION}.`);
  }
  const parsed = logEventSchema().safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(`${type} does not fit: ${issue?.path.join('.')}: ${issue?.message}.`);
  }
  if (parsed.data.seq !== line) throw refuse(`seq is ${parsed.data.seq}, expected ${line}.`);
  if ((line === 1) !== (type === 'session/created')) {
    throw refuse(`${type} cannot stand here; session/created is line 1 and no other.`);
  }
  return parsed.data;
}

// Bytes that are no UTF-8 are damage, and must not be read as if they said something else.
function parseJson(bytes: Uint8Array | string): unknown {
  if (typeof bytes === 'string') return JSON.parse(bytes);
  return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
}

function isJson(bytes: Uint8Array): boolean {
  try {
    parseJson(bytes);
    return true;
  } catch {
    return false;
  }
}
