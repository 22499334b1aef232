import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod';
import { codeOf, UserError } from '../base/errors.ts';
import { once } from '../base/once.ts';

const holderSchema = once(() =>
  z.object({
    pid: z.int(),
    /** When the process started, as the system tells it: a pid is used again, this pair is not. */
    started: z.string(),
    host: z.string(),
  }),
);

/** The process that writes a log. */
export type Holder = z.output<ReturnType<typeof holderSchema>>;

/** A log that another process writes. The message names it, and offers a fork. */
export class LockedError extends UserError {
  override readonly name = 'LockedError';
}

/** The right to write one log; it ends with `release`, or with the process. */
export interface Lock {
  release: () => void;
}

/**
 * Takes the lock of the log at `logPath`. A lock whose process is dead is taken over. Throws
 * `LockedError` while another one lives.
 */
export function acquireLock(logPath: string): Lock {
  const path = `${logPath}.lock`;
  const mine = `${path}.${process.pid}.${Date.now().toString(36)}`;
  const text = JSON.stringify(thisProcess());
  writeFileSync(mine, text, { mode: 0o600, flag: 'wx' });
  try {
    // A link is made whole or not at all, and never over another: nobody sees half a lock.
    while (!tryLink(mine, path)) removeIfDead(path, logPath);
  } finally {
    unlinkSync(mine);
  }
  return {
    release() {
      if (readOrNothing(path) === text) unlinkSync(path);
    },
  };
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function removeIfDead(path: string, logPath: string): void {
  const text = readOrNothing(path);
  if (text === undefined) return;
  const holder = readHolder(text);
  if (holder && isAlive(holder)) {
    // Of a process elsewhere only a person can know that it is gone.
    const elsewhere = holder.host === hostname() ? '' : ` If it is gone, remove ${path}.`;
    throw new LockedError(
      `${logPath} is being written by process ${holder.pid} on ${holder.host}. Close the session ` +
        `there, or fork it: a fork is a session of its own.${elsewhere}`,
    );
  }
  // Moved aside and looked at again: another process may have taken the lock over in between.
  const aside = `${path}.dead.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (readOrNothing(aside) !== text) tryLink(aside, path);
  unlinkSync(aside);
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function readHolder(text: string): Holder | undefined {
  try {
    return holderSchema().parse(JSON.parse(text));
  } catch {
    // What is no lock locks nothing.
    return undefined;
  }
}

function thisProcess(): Holder {
  return { pid: process.pid, started: startOf(process.pid) ?? '', host: hostname() };
}

function isAlive({ pid, started, host }: Holder): boolean {
  // Of another machine's processes nothing can be known; its lock is believed.
  if (host !== hostname()) return true;
  return startOf(pid) === started;
}

/** When a process started, in the system's own words; undefined when there is none of that pid. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name in parentheses may hold anything; what follows it is counted from field 3 on.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  try {
    const shown = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return shown.trim() || undefined;
  } catch {
    return undefined;
  }
}
