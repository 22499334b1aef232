import { closeSync, fstatSync, openSync } from 'node:fs';
import { sameJson } from '../base/json.ts';
import type { LogEvent } from '../log/events.ts';
import { evolve } from '../log/evolve.ts';
import { readEvents } from '../log/read.ts';
import { digestOf, foldRequest } from '../log/request.ts';
import { readSinceCompaction, snapshotOf } from '../log/resume.ts';
import { EMPTY_STATE, type SessionState } from '../log/state.ts';
import { PLAN_MODE } from '../modes/definitions.ts';
import { EXIT_PLAN_MODE } from '../modes/exit_plan_mode.ts';

/** What a log proves of itself. `problems` is empty when everything holds. */
export interface Verification {
  events: number;
  turns: number;
  steps: number;
  /** Bytes behind the last whole line: what a crash left, and no history. */
  tornBytes: number;
  /** Each names the line and what does not hold there. */
  problems: string[];
}

/**
 * Proves from the log at `path` alone that turns balance, calls have one result each, every
 * request's digest is that of the fold, plan mode and its header agree, and a resume from the last
 * compaction gives the state of the whole log. Throws `DamagedLogError` for a log that cannot be
 * read.
 */
export function verifyLog(path: string): Verification {
  const fd = openSync(path, 'r');
  try {
    const found: Verification = { events: 0, turns: 0, steps: 0, tornBytes: 0, problems: [] };
    let state = EMPTY_STATE;
    let wholeBytes = 0;
    for (const { event, end } of readEvents(fd, path)) {
      for (const problem of problemsOf(event, state)) {
        found.problems.push(`line ${event.seq}: ${problem}`);
      }
      state = evolve(state, event);
      wholeBytes = end;
      found.events++;
      if (event.type === 'turn/start') found.turns++;
      if (event.type === 'step/start') found.steps++;
    }
    found.tornBytes = fstatSync(fd).size - wholeBytes;
    if (!sameJson(readSinceCompaction(fd, path).state, state)) {
      found.problems.push(
        'a resume from the last compaction gives another state than the whole log',
      );
    }
    return found;
  } finally {
    closeSync(fd);
  }
}

function problemsOf(event: LogEvent, state: SessionState): string[] {
  return [...enclosure(event, state), ...pairing(event, state), ...requests(event, state)];
}

const ANYWHERE: ReadonlySet<string> = new Set(['session/title', 'knob/set']);

function enclosure(event: LogEvent, { open, turns }: SessionState): string[] {
  switch (event.type) {
    case 'session/created':
      return [];
    case 'turn/start':
      if (open) return [`turn ${event.turn} starts inside turn ${open.turn}`];
      return event.turn === turns + 1 ? [] : [`turn ${event.turn} follows turn ${turns}`];
    case 'turn/end':
      if (open?.step !== undefined) return [`turn ${event.turn} ends inside step ${open.step}`];
      return event.turn === open?.turn ? [] : [`turn ${event.turn} ends, but is not open`];
    case 'step/start':
      if (!open) return ['a step starts outside of any turn'];
      return open.step === undefined ? [] : [`step ${event.step} starts inside step ${open.step}`];
    case 'step/end':
      return event.step === open?.step ? [] : [`step ${event.step} ends, but is not open`];
    case 'assistant/message':
    case 'tool/call':
    case 'tool/result':
      return open?.step === undefined ? [`${event.type} stands outside of any step`] : [];
    case 'mode/intent':
      return open ? ['a mode/intent stands inside a turn'] : [];
    case 'mode/set':
      return open && open.step === undefined ? [] : ['a mode/set stands at no boundary'];
    default:
      return open || ANYWHERE.has(event.type) ? [] : [`${event.type} stands outside of any turn`];
  }
}

function pairing(event: LogEvent, { open }: SessionState): string[] {
  const waiting = open?.openCalls ?? [];
  switch (event.type) {
    case 'tool/result':
      return waiting[0] === event.callId ? [] : [`a result for ${event.callId}, which is not next`];
    case 'step/end':
      return waiting.length === 0
        ? []
        : [`the step ends without a result for ${waiting.join(', ')}`];
    default:
      return [];
  }
}

function requests(event: LogEvent, state: SessionState): string[] {
  const { header } = state;
  if (event.type === 'request/header') {
    return sameJson(event.header, header?.value) ? ['the header is the one before'] : [];
  }
  if (event.type === 'compaction') {
    const same = sameJson(event.state, snapshotOf(state));
    return same ? [] : ['the state that the compaction carries is not that of the log'];
  }
  if (event.type !== 'step/start') return [];
  if (!header) return ['a request without a header'];
  const problems: string[] = [];
  if (event.headerSeq !== header.seq)
    problems.push(`headerSeq is ${event.headerSeq}, not ${header.seq}`);
  if (event.sha256 !== digestOf(foldRequest(state))) {
    problems.push('the digest of the request is not that of the fold');
  }
  const planned = header.value.tools.some((tool) => tool.function.name === EXIT_PLAN_MODE);
  if (planned !== (state.mode === PLAN_MODE)) {
    problems.push(
      `the mode is ${state.mode}, but the header is ${planned ? '' : 'not '}that of plan`,
    );
  }
  return problems;
}
