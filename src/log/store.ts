import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, messageOf, UserError } from '../base/errors.ts';
import { makePrivateDirectory } from '../base/make_directory.ts';
import type { EventType, LogEvent } from './events.ts';

/** The file behind one session's log. */
export interface Store {
  readonly path: string;
  /**
   * Writes one line, and syncs it to the disk where a person or an editor may rely on it. Throws
   * `UserError` when the disk refuses; the file then ends after the last whole line,
   * and is gone when there is none.
   */
  append: (event: LogEvent) => void;
  close: () => void;
}

// After these a crash of the machine must lose nothing: the end of a turn, what stands between
// turns, and what a person is about to be asked.
const SYNCED: ReadonlySet<EventType> = new Set([
  'turn/end',
  'mode/intent',
  'knob/set',
  'session/title',
  'ask',
]);

/** Creates the log file of a new session, with its directories. Throws `UserError`. */
export function createStore(path: string): Store {
  let fd: number;
  try {
    makePrivateDirectory(dirname(path));
    fd = openSync(path, 'ax', 0o600);
  } catch (error) {
    throw new UserError(`Could not create the session log ${path}: ${reasonOf(error)}`);
  }
  return openStore({ path, fd, length: 0 });
}

/**
 * The store of a log that is there, with `wholeBytes` of whole lines. What a crash left behind them
 * is first moved to `<path>.torn`: it is kept, but it is no history. Throws `UserError`.
 */
export function reopenStore(path: string, wholeBytes: number): Store {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_APPEND);
    moveAside(fd, path, wholeBytes);
    return openStore({ path, fd, length: wholeBytes });
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    throw new UserError(`Could not open the session log ${path}: ${reasonOf(error)}`);
  }
}

function moveAside(fd: number, path: string, wholeBytes: number): void {
  const left = fstatSync(fd).size - wholeBytes;
  if (left <= 0) return;
  const torn = Buffer.alloc(left);
  readSync(fd, torn, 0, left, wholeBytes);
  const aside = openSync(`${path}.torn`, 'a', 0o600);
  try {
    writeAll(aside, torn);
    // On the disk there before it is gone here.
    fsyncSync(aside);
  } finally {
    closeSync(aside);
  }
  ftruncateSync(fd, wholeBytes);
  fsyncSync(fd);
}

/** The store of a file that is open for appending and holds `length` bytes of whole lines. */
function openStore(file: { path: string; fd: number; length: number }): Store {
  let length = file.length;
  let torn = false;
  let directorySynced = false;

  const cut = () => {
    ftruncateSync(file.fd, length);
    torn = false;
  };
  const sync = () => {
    fsyncSync(file.fd);
    if (!directorySynced) syncDirectory(dirname(file.path));
    directorySynced = true;
  };

  return {
    path: file.path,
    append(event) {
      const bytes = Buffer.from(`${JSON.stringify(event)}\n`);
      try {
        if (torn) cut();
        writeAll(file.fd, bytes);
        if (SYNCED.has(event.type)) sync();
      } catch (error) {
        // Half a line must not stay: the next event would be glued to it.
        torn = true;
        attempt(length === 0 ? () => unlinkSync(file.path) : cut);
        throw new UserError(`Could not write the session log ${file.path}: ${reasonOf(error)}`);
      }
      length += bytes.length;
    },
    close: () => closeSync(file.fd),
  };
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(fd, bytes, written);
  }
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // The caller is already reporting the first failure; the next append tries again.
  }
}

function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOSPC':
      return 'no space is left on the device (ENOSPC). Free some space, then try again.';
    case 'EDQUOT':
      return 'the disk quota is used up (EDQUOT). Free some space, then try again.';
    case 'EACCES':
    case 'EPERM':
      return `permission denied (${codeOf(error)}). Make it writable, or set PLANFOLD_HOME.`;
    case 'EROFS':
      return 'the file system is read-only (EROFS). Set PLANFOLD_HOME to a writable directory.';
    default:
      return messageOf(error);
  }
}
