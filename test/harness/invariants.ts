import { expect } from 'vitest';
import { createProjection } from '../../src/acp/updates.ts';
import { machineSubstitution } from '../../src/cli/replay.ts';
import type { LogEvent } from '../../src/log/events.ts';
import { evolve } from '../../src/log/evolve.ts';
import { digestOf, foldRequest } from '../../src/log/request.ts';
import { EMPTY_STATE, type SessionState } from '../../src/log/state.ts';
import { exitPlanModeTool } from '../../src/modes/exit_plan_mode.ts';
import { baseTools } from '../../src/session/open.ts';
import { isProgress, joinChunks, type Update, updateOf } from './frames.ts';
import type { Played } from './scenarios.ts';

/** What holds for every session, whatever happened in it. */
export function checkInvariants(played: Played): void {
  checkTurns(played.events);
  checkCalls(played.events);
  checkRequests(played);
  expect(liveUpdates(played)).toEqual(replayedUpdates(played));
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

// The picker and the commands are told by other occasions than events, and the editor shows the
// user's own message itself.
const NOT_CONVERSATION = new Set([
  'user_message_chunk',
  'available_commands_update',
  'current_mode_update',
]);

function liveUpdates({ frames }: Played): Update[] {
  const updates = frames.flatMap((frame) => updateOf(frame) ?? []);
  const spoken = updates.filter((update) => !isCommandAnswer(update, frames));
  return conversation(spoken);
}

// The answer to a command line is not part of the conversation: no event holds it.
function isCommandAnswer(update: Update, frames: Played['frames']): boolean {
  if (update.sessionUpdate !== 'agent_message_chunk') return false;
  const index = frames.findIndex((frame) => updateOf(frame) === update);
  const prompt = frames
    .slice(0, index)
    .findLast(({ message }) => (message as { method?: string }).method === 'session/prompt');
  return JSON.stringify(prompt?.message).includes('"text":"/');
}

function replayedUpdates({ events, cwd }: Played): Update[] {
  const tools = [...baseTools({ shell: '/bin/sh' }), exitPlanModeTool];
  const project = createProjection({ cwd, tools });
  let state: SessionState = EMPTY_STATE;
  const updates = events.flatMap((event) => {
    state = evolve(state, event);
    return project(event, state) as Update[];
  });
  return conversation(updates);
}

function conversation(updates: readonly Update[]): Update[] {
  const kept = updates.filter(
    (update) => !NOT_CONVERSATION.has(update.sessionUpdate) && !isProgress(update),
  );
  // Over the wire an absent field is absent; in memory it may be undefined.
  return joinChunks(JSON.parse(JSON.stringify(kept)));
}
