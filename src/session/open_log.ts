import { closeSync, openSync, rmSync } from 'node:fs';
import { setImmediate as nextMacrotask } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { AGENT } from '../base/version.ts';
import { LOG_VERSION, type LogEvent, type SessionCreated } from '../log/events.ts';
import { evolve } from '../log/evolve.ts';
import { acquireLock, type Lock } from '../log/lock.ts';
import { createLog, reopenLog, type SessionLog, type Sink } from '../log/log.ts';
import { readEvents } from '../log/read.ts';
import { type ReadLog, readSinceCompaction } from '../log/resume.ts';
import { EMPTY_STATE, type SessionState } from '../log/state.ts';
import { createStore, reopenStore } from '../log/store.ts';
import type { Directories } from './new_session.ts';

/** Which log to open, and how. */
export interface LogOpening {
  id: string;
  path: string;
  source: { kind: 'new' } | { kind: 'fork' } | { kind: 'stored'; replay: boolean };
  request: Directories;
}

/** Who hears of the log: of what is read, and of what happens from now on. */
export interface LogListeners {
  sink: Sink;
  replay: (event: LogEvent, state: SessionState) => Promise<void> | undefined;
}

/** Line 1 of the log of a new session. */
export function lineOne(
  id: string,
  { cwd, additionalDirectories }: Directories,
): Omit<SessionCreated, 'parent'> {
  return {
    type: 'session/created',
    v: LOG_VERSION,
    id,
    cwd,
    additionalDirectories: [...additionalDirectories],
    agent: AGENT,
  };
}

/**
 * Opens a log for writing, under its lock. What a crash left is put in order: a torn tail is moved
 * aside, an open turn is closed. Throws `LockedError` and `DamagedLogError`, with the file
 * untouched.
 */
export async function openLog(
  { clock }: { clock: Clock },
  { id, path, source, request }: LogOpening,
  { sink, replay }: LogListeners,
): Promise<{ log: SessionLog; lock: Lock }> {
  // The file first: a new one brings the directory that its lock stands in.
  const created = source.kind === 'new' ? createStore(path) : undefined;
  let store = created;
  let lock: Lock | undefined;
  try {
    lock = acquireLock(path);
    if (created) {
      const parts = { store: created, clock, sinks: [sink] };
      return { log: createLog(lineOne(id, request), parts), lock };
    }
    const told = source.kind === 'stored' && source.replay ? replay : undefined;
    const { state, wholeBytes } = await readAndReplay(path, told);
    store = reopenStore(path, wholeBytes);
    return { log: reopenLog(state, { store, clock, sinks: [sink] }), lock };
  } catch (error) {
    store?.close();
    lock?.release();
    if (created) rmSync(path, { force: true });
    throw error;
  }
}

async function readAndReplay(
  path: string,
  replay: LogListeners['replay'] | undefined,
): Promise<ReadLog> {
  const fd = openSync(path, 'r');
  try {
    const read = readSinceCompaction(fd, path);
    if (replay) await replayAll(fd, path, replay);
    return read;
  } finally {
    closeSync(fd);
  }
}

const EVENTS_AT_ONCE = 100;

// One event at a time, at the pace of the client, and without the messages that a compaction has
// replaced since: the memory it takes does not grow with the log.
async function replayAll(fd: number, path: string, replay: LogListeners['replay']): Promise<void> {
  let state = EMPTY_STATE;
  for (const { event } of readEvents(fd, path)) {
    state = { ...evolve(state, event), messages: [] };
    await replay(event, state);
    // Other sessions, and whoever wants this process to end, must not wait for a long log.
    if (event.seq % EVENTS_AT_ONCE === 0) await nextMacrotask();
  }
}
