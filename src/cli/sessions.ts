import { statSync } from 'node:fs';
import { createIds, systemClock } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';
import { dataDirectory, logPath } from '../log/location.ts';
import { acquireLock } from '../log/lock.ts';
import { readLog } from '../log/read.ts';
import { forkLog } from '../session/fork.ts';
import { deleteLog, findLog, listSessions, logFiles, readLineOne } from '../session/library.ts';
import { lineOne } from '../session/open_log.ts';
import { verifyLog } from '../session/verify.ts';

type Write = (text: string) => void;

/** `planfold sessions list`: the newest first, a line each. */
export function runList(
  write: Write,
  { cwd, limit }: { cwd: string | undefined; limit: number },
): void {
  const { sessions, nextCursor } = listSessions(dataDirectory(process.env), { cwd, limit });
  if (sessions.length === 0) write('No sessions are stored.\n');
  for (const { id, updatedAt, title, cwd: directory } of sessions) {
    write(
      `${id}  ${updatedAt.slice(0, 16).replace('T', ' ')}  ${title ?? '(empty)'}  ${directory}\n`,
    );
  }
  if (nextCursor !== undefined) write('More are stored; --limit shows more.\n');
}

/** The log of a session id, or the file itself. Throws `UserError` when there is neither. */
export function pathOf(idOrFile: string): string {
  if (statSync(idOrFile, { throwIfNoEntry: false })?.isFile()) return idOrFile;
  const path = logFiles(dataDirectory(process.env)).get(idOrFile);
  if (path !== undefined) return path;
  throw new UserError(
    `\`${idOrFile}\` is neither a log nor the id of a stored session; ` +
      '`planfold sessions list` shows those that are stored.',
  );
}

/** `planfold sessions fork` and `salvage`: a new session from an old one. Writes its id. */
export function runFork(write: Write, idOrFile: string, salvage: boolean): void {
  const parent = pathOf(idOrFile);
  const { cwd, additionalDirectories } = readLineOne(parent);
  const id = createIds().session();
  const path = logPath(dataDirectory(process.env), cwd, id);
  const created = lineOne(id, { cwd, additionalDirectories });
  forkLog({ path: parent, salvage }, { created, time: systemClock(), path });
  write(`${id}\n`);
  if (salvage)
    write(`It holds ${readLog(path).length} events of ${parent}, which was left as it is.\n`);
}

/** `planfold sessions rm`: removes the log and what belongs to it, unless a process writes it. */
export function runRemove(write: Write, id: string): void {
  const path = findLog(dataDirectory(process.env), id);
  const lock = acquireLock(path);
  try {
    deleteLog(path);
  } finally {
    lock.release();
  }
  write(`Removed ${path}\n`);
}

/**
 * `planfold verify`: what the log proves of itself. Gives the exit code: 0, or 1 with the problems.
 */
export function runVerify(write: Write, idOrFile: string): number {
  const path = pathOf(idOrFile);
  const { events, turns, steps, tornBytes, problems } = verifyLog(path);
  write(`${path}\n${events} events, ${turns} turns, ${steps} requests\n`);
  if (tornBytes > 0) write(`${tornBytes} bytes behind the last whole line: a crash left them\n`);
  for (const problem of problems) write(`- ${problem}\n`);
  write(problems.length === 0 ? 'Everything holds.\n' : `${problems.length} problems.\n`);
  return problems.length === 0 ? 0 : 1;
}

/** A count from the command line. Throws `UserError` for what is none. */
export function readCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new UserError(`\`${text}\` is no count; give a whole number above 0.`);
}
