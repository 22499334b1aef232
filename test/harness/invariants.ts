import { expect } from 'vitest';
import { createProjection } from '../../src/acp/updates.ts';
import { machineSubstitution } from '../../src/cli/replay.ts';
import type { LogEvent } from '../../src/log/events.ts';
import { evolve } from '../../src/log/evolve.ts';
import { digestOf, foldRequest } from '../../src/log/request.ts';
import { snapshotOf } from '../../src/log/resume.ts';
import { EMPTY_STATE, type SessionState } from '../../src/log/state.ts';
import { compactionRequest } from '../../src/loop/compaction.ts';
import { exitPlanModeTool } from '../../src/modes/exit_plan_mode.ts';
import { baseTools } from '../../src/session/open.ts';
import { isProgress, joinChunks, type Update, updateOf } from '../../src/acp/frames.ts';
import type { Played } from '../../src/cli/play.ts';

/** What holds for every session, whatever happened in it. */
export function checkInvariants(played: Played): void {
  checkTurns(played.events);
  checkCalls(played.events);
  checkRequests(played);
  checkReplays(played);
  expect(played.unused, 'answers that nobody asked for').toBe(0);
}

/** Every turn that starts ends, and nothing of a turn stands outside of one. */
export function checkTurns(events: readonly LogEvent[]): void {
  const anywhere = new Set(['session/created', 'session/title', 'knob/set']);
  let open: number | undefined;
  for (const event of events) {
    if (event.type === 'turn/start') {
      expect(open, 'a turn inside a turn').toBeUndefined();
      open = event.turn;
    } else if (event.type === 'turn/end') {
      expect(event.turn).toBe(open);
      open = undefined;
    } else if (event.type === 'mode/intent') {
      expect(open, 'an idle record inside a turn').toBeUndefined();
    } else if (!anywhere.has(event.type)) {
      expect(open, `${event.type} outside of a turn`).toBeDefined();
    }
  }
  expect(open, 'a turn without an end').toBeUndefined();
}

/** Every call of the model has one result, in the model's order. */
export function checkCalls(events: readonly LogEvent[]): void {
  const calls = events.flatMap((event) =>
    event.type === 'assistant/message' ? event.calls.map(({ callId }) => callId) : [],
  );
  const results = events.flatMap((event) => (event.type === 'tool/result' ? [event.callId] : []));
  expect(results).toEqual(calls);
  expect(new Set(calls).size).toBe(calls.length);
}

/** Headers differ when logged; each request is the fold of the log before it, byte for byte. */
function checkRequests({ events, exchanges, cwd }: Played): void {
  const { toRecorded } = machineSubstitution(cwd, { SHELL: '/bin/sh' });
  const folded: string[] = [];
  let state: SessionState = EMPTY_STATE;
  for (const event of events) {
    if (event.type === 'request/header') {
      expect(event.header).not.toEqual(state.header?.value);
      expect(event.reason).toBe(state.header ? 'changed' : 'initial');
    }
    if (event.type === 'compaction') {
      const body = compactionRequest(state, event.throughSeq);
      folded.push(toRecorded(JSON.stringify(body)));
      expect(event.state).toEqual(snapshotOf(state));
    }
    if (event.type === 'step/start') {
      const body = foldRequest(state);
      expect(digestOf(body)).toBe(event.sha256);
      expect(event.headerSeq).toBe(state.header?.seq);
      folded.push(toRecorded(JSON.stringify(body)));
    }
    state = evolve(state, event);
  }
  expect(folded).toEqual(exchanges.map(({ request }) => JSON.stringify(request?.body)));
}

// The editor shows the user's own message itself, and commands are no part of a conversation.
// What can be set is told with the answer that opens a session, and from then on as it changes.
const LIVE_ONLY = new Set(['available_commands_update', 'config_option_update', 'usage_update']);
const REPLAY_ONLY = new Set(['user_message_chunk']);

/** What streamed live is what a load would replay; and what a load did replay is its beginning. */
function checkReplays(played: Played): void {
  const { live, replays } = splitUpdates(played.frames);
  const whole = projectLog(played);
  const silent = (update: Update) => update.sessionUpdate !== 'current_mode_update';
  const spoken = whole.filter((update) => !REPLAY_ONLY.has(update.sessionUpdate));
  expect(joinChunks(live.filter(silent))).toEqual(joinChunks(spoken.filter(silent)));
  // A choice is answered at once and lands later, so modes are compared among themselves.
  const modes = (updates: readonly Update[]) =>
    updates.flatMap((update) => (silent(update) ? [] : [update['currentModeId']]));
  expect(unrepeated(modes(live))).toEqual(unrepeated(modes(whole)));
  for (const replay of replays) {
    expect(joinChunks(replay)).toEqual(joinChunks(whole.slice(0, replay.length)));
  }
}

function unrepeated(values: readonly unknown[]): unknown[] {
  return values.filter((value, index) => value !== values[index - 1]);
}

function splitUpdates(frames: Played['frames']): { live: Update[]; replays: Update[][] } {
  const live: Update[] = [];
  const replays: Update[][] = [];
  let loading: unknown;
  let command = false;
  for (const frame of frames) {
    const { id, method } = frame.message as { id?: unknown; method?: string };
    if (method === 'session/load') {
      loading = id;
      replays.push([]);
    } else if (frame.from === 'agent' && method === undefined && id === loading) {
      loading = undefined;
    }
    // The answer to a command line is not part of the conversation: no event holds it.
    if (method === 'session/prompt') command = JSON.stringify(frame.message).includes('"text":"/');
    const update = updateOf(frame);
    if (!update || LIVE_ONLY.has(update.sessionUpdate) || isProgress(update)) continue;
    // That a compaction has begun is told at once; an event says how it ended.
    if (update.sessionUpdate === 'compaction_update' && update['status'] !== 'completed') continue;
    if (command && update.sessionUpdate === 'agent_message_chunk') continue;
    (loading === undefined ? live : (replays.at(-1) ?? live)).push(update);
  }
  return { live, replays };
}

function projectLog({ events, cwd }: Played): Update[] {
  const tools = [...baseTools({ shell: '/bin/sh' }), exitPlanModeTool];
  const project = createProjection({ cwd, tools });
  let state: SessionState = EMPTY_STATE;
  let mode: unknown;
  const updates = events.flatMap((event) => {
    state = evolve(state, event);
    return project(event, state) as Update[];
  });
  // Over the wire an absent field is absent; in memory it may be undefined.
  const sent: Update[] = JSON.parse(JSON.stringify(updates));
  return sent.filter((update) => {
    if (update.sessionUpdate !== 'current_mode_update') return true;
    const news = update['currentModeId'] !== mode;
    mode = update['currentModeId'];
    return news;
  });
}
