import type { JsonObject } from '../base/json.ts';
import type { LogEvent } from './events.ts';
import { evolve } from './evolve.ts';
import { readLinesBackwards } from './lines.ts';
import { type LogPosition, readEvents, readLine } from './read.ts';
import { EMPTY_STATE, type SessionState } from './state.ts';

/** A log as far as it was read: its state, and the bytes of its whole lines. */
export interface ReadLog {
  state: SessionState;
  wholeBytes: number;
}

type Compaction = Extract<LogEvent, { type: 'compaction' }>;

/**
 * What a compaction keeps of the state, as JSON has it: all but the messages, and but what line 1
 * says, for a fork has the compaction of its parent and a line 1 of its own.
 */
export function snapshotOf(state: SessionState): JsonObject {
  const { messages: _, id: __, cwd: ___, additionalDirectories: ____, ...rest } = state;
  return JSON.parse(JSON.stringify(rest));
}

/** Reads a whole log. `onEvent` hears of each event with the state after it. */
export function readWhole(
  fd: number,
  path: string,
  onEvent: (event: LogEvent, state: SessionState) => void = () => {},
): ReadLog {
  let state = EMPTY_STATE;
  let wholeBytes = 0;
  for (const { event, end } of readEvents(fd, path)) {
    state = evolve(state, event);
    wholeBytes = end;
    onEvent(event, state);
  }
  return { state, wholeBytes };
}

/**
 * Reads a log from its end back to the last compaction, and starts from the state that it carries:
 * the cost is that of what happened since, not that of the log. Reads the whole log where there is
 * no compaction.
 */
export function readSinceCompaction(fd: number, path: string): ReadLog {
  const start = findStart(fd, path);
  if (!start) return readWhole(fd, path);
  // Only the messages count until the compaction is met; a step may be under way where it starts.
  const open = { turn: 0, step: 0, openCalls: [], openAsks: {}, images: [] };
  let state: SessionState = { ...readLineOne(fd, path), seq: start.seq, open };
  let wholeBytes = start.offset;
  for (const { event, end } of readEvents(fd, path, start)) {
    const reached = event.type === 'compaction' && event.seq === start.compactionSeq;
    state = evolve(reached ? restore(event.state, state) : state, event);
    wholeBytes = end;
  }
  return { state, wholeBytes };
}

// The snapshot comes from `snapshotOf`, and `verify` holds it against the full fold.
function restore(snapshot: JsonObject, folded: SessionState): SessionState {
  const { messages, id, cwd, additionalDirectories } = folded;
  const whose = { id, cwd, additionalDirectories };
  return { ...EMPTY_STATE, ...(snapshot as Partial<SessionState>), ...whose, messages };
}

function readLineOne(fd: number, path: string): SessionState {
  const [first] = readEvents(fd, path);
  return first ? evolve(EMPTY_STATE, first.event) : EMPTY_STATE;
}

interface Start extends LogPosition {
  compactionSeq: number;
}

// How every line begins, as this program writes it: enough to find one without parsing the rest.
const HEAD = /^\{"seq":(\d+),"time":"[^"]*","type":"([^"]+)"/;

function findStart(fd: number, path: string): Start | undefined {
  let compaction: Compaction | undefined;
  for (const { bytes, start, end } of readLinesBackwards(fd)) {
    const [, seq, type] = HEAD.exec(bytes.toString('latin1', 0, 200)) ?? [];
    if (seq === undefined) continue;
    if (!compaction && type === 'compaction') compaction = readCompaction(bytes, path, Number(seq));
    if (compaction && Number(seq) <= compaction.throughSeq) {
      return { offset: end, seq: Number(seq), compactionSeq: compaction.seq };
    }
    if (start === 0) break;
  }
  return undefined;
}

function readCompaction(bytes: Buffer, path: string, seq: number): Compaction | undefined {
  try {
    const event = readLine(bytes, { path, line: seq });
    return event.type === 'compaction' ? event : undefined;
  } catch {
    // The tail of a crash, or damage: the reading of the whole log will say which.
    return undefined;
  }
}
