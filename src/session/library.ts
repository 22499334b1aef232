import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { InputError, UnknownSessionError, UserError } from '../base/errors.ts';
import type { LogEvent, SessionCreated } from '../log/events.ts';
import { readLines } from '../log/lines.ts';
import { sessionsDirectory, spillDirectory } from '../log/location.ts';
import { toTitle } from '../log/title.ts';
import { readLine } from '../log/read.ts';

const EXTENSION = '.jsonl';

/** A stored session as a list shows it. */
export interface SessionSummary {
  id: string;
  cwd: string;
  additionalDirectories: string[];
  /** The title, else the beginning of the first prompt; undefined before there is any. */
  title: string | undefined;
  /** When its log was last written, ISO 8601. */
  updatedAt: string;
  path: string;
}

/** Which sessions to list: those of `cwd`, from behind a cursor on. */
export interface SessionQuery {
  cwd?: string | null | undefined;
  cursor?: string | null | undefined;
  limit: number;
}

/** One page of a list; `nextCursor` is there when there are more. */
export interface SessionPage {
  sessions: SessionSummary[];
  nextCursor: string | undefined;
}

/** The log of the session `id`. Throws `UnknownSessionError` when there is none. */
export function findLog(dataDir: string, id: string): string {
  const path = logFiles(dataDir).get(id);
  if (path !== undefined) return path;
  throw new UnknownSessionError(
    `No session \`${id}\` is stored in ${join(dataDir, 'sessions')}. See session/list.`,
  );
}

/**
 * The logs of all sessions by id, or of those that were opened in `cwd`; nothing is read of them.
 */
export function logFiles(dataDir: string, cwd?: string): Map<string, string> {
  const root = join(dataDir, 'sessions');
  const folders =
    cwd === undefined
      ? list(root).map((name) => join(root, name))
      : [sessionsDirectory(dataDir, cwd)];
  return new Map(
    folders.flatMap((folder) =>
      list(folder)
        .filter((name) => name.endsWith(EXTENSION))
        .map((name): [string, string] => [basename(name, EXTENSION), join(folder, name)]),
    ),
  );
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Nothing was ever stored there.
    return [];
  }
}

/** A page of the stored sessions, newest first. Throws `InputError` for a cursor that is none. */
export function listSessions(dataDir: string, { cwd, cursor, limit }: SessionQuery): SessionPage {
  if (typeof cursor === 'string' && !/^[0-9a-z-]+$/.test(cursor)) {
    throw new InputError(`\`cursor\` is ${JSON.stringify(cursor)}; send one that a list gave you.`);
  }
  const files = logFiles(dataDir, cwd ?? undefined);
  // Ids sort by the time of their creation.
  const ids = [...files.keys()].filter((id) => typeof cursor !== 'string' || id < cursor);
  ids.sort((a, b) => (a < b ? 1 : -1));
  const sessions: SessionSummary[] = [];
  let next = 0;
  while (next < ids.length && sessions.length < limit) {
    const summary = summarise(files.get(ids[next] ?? '') ?? '');
    if (summary) sessions.push(summary);
    next++;
  }
  return { sessions, nextCursor: next < ids.length ? ids[next - 1] : undefined };
}

/** Line 1 of the log at `path`. Throws `UserError` when it is not whole. */
export function readLineOne(path: string): SessionCreated {
  const fd = openSync(path, 'r');
  try {
    const [first] = readLines(fd);
    const event = first?.whole ? readLine(first.bytes, { path, line: 1 }) : undefined;
    if (event?.type === 'session/created') return event;
    throw new UserError(`${path} holds no session: its first line is not whole.`);
  } finally {
    closeSync(fd);
  }
}

const LOOK_BYTES = 64 * 1024;

// A title stands near the beginning, or near the end when a person changed it late; what lies
// between is not read, so that a list costs the same whatever the sessions hold.
function summarise(path: string): SessionSummary | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    const { size, mtime } = fstatSync(fd);
    const head = readText(fd, 0, LOOK_BYTES).split('\n');
    const tail = readText(fd, Math.max(LOOK_BYTES, size - LOOK_BYTES), LOOK_BYTES).split('\n');
    const [created, ...events] = [...head, ...tail].flatMap(parse);
    if (created?.type !== 'session/created') return undefined;
    const { id, cwd, additionalDirectories } = created;
    const title = titleOf(events);
    return { id, cwd, additionalDirectories, title, updatedAt: mtime.toISOString(), path };
  } finally {
    closeSync(fd);
  }
}

function readText(fd: number, position: number, length: number): string {
  const bytes = Buffer.alloc(length);
  return bytes.toString('utf8', 0, readSync(fd, bytes, 0, length, position));
}

// Good enough for a list: a line that is cut or damaged has nothing to say here.
function parse(line: string): LogEvent[] {
  if (!/"type":"(session\/created|session\/title|user\/message)"/.test(line.slice(0, 200)))
    return [];
  try {
    return [JSON.parse(line) as LogEvent];
  } catch {
    return [];
  }
}

function titleOf(events: readonly LogEvent[]): string | undefined {
  const titled = events.findLast((event) => event.type === 'session/title');
  if (titled?.type === 'session/title') return titled.title;
  const said = events.find((event) => event.type === 'user/message');
  return said?.type === 'user/message' ? toTitle(said.content) : undefined;
}

/** Removes a log and everything that belongs to it. Nothing happens where there is none. */
export function deleteLog(path: string): void {
  for (const one of [path, `${path}.torn`, `${path}.lock`, spillDirectory(path)]) {
    rmSync(one, { recursive: true, force: true });
  }
}
