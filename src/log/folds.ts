import type { Header } from '../model/types.ts';
import type { Grant, LogEvent, TodoEntry } from './events.ts';
import { evolve } from './evolve.ts';
import { EMPTY_STATE, type SessionState } from './state.ts';

/** The state after `events`, which start with line 1 of a log. */
export function foldState(events: Iterable<LogEvent>): SessionState {
  let state = EMPTY_STATE;
  for (const event of events) state = evolve(state, event);
  return state;
}

/** The mode in force: the last `mode/set`, else `default`. Intents do not count. */
export function foldMode(events: Iterable<LogEvent>): string {
  return foldState(events).mode;
}

/** The mode that the next boundary puts in force, when it differs from the one in force. */
export function foldPendingMode(events: Iterable<LogEvent>): string | undefined {
  return foldState(events).pendingMode;
}

/** What the last request carried besides its messages. */
export function foldHeader(events: Iterable<LogEvent>): Header | undefined {
  return foldState(events).header?.value;
}

/** The knobs by id, the last value of each. */
export function foldKnobs(events: Iterable<LogEvent>): Readonly<Record<string, string>> {
  return foldState(events).knobs;
}

/** The todo list as last written. */
export function foldTodos(events: Iterable<LogEvent>): readonly TodoEntry[] {
  return foldState(events).todos;
}

/** What a person allowed for the rest of the session, in the order in which it was allowed. */
export function foldGrants(events: Iterable<LogEvent>): readonly Grant[] {
  return foldState(events).grants;
}
