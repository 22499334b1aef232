import type { Clock } from '../base/clock.ts';
import type {
  AnywhereEvent,
  Fact,
  IdleEvent,
  LogEvent,
  SessionCreated,
  StopReason,
  TurnEvent,
} from './events.ts';
import { evolve } from './evolve.ts';
import { closingFacts } from './repair.ts';
import { EMPTY_STATE, type SessionState } from './state.ts';
import type { Store } from './store.ts';

/** Is told of each event once it is on disk, with the state after it. Cannot write. */
export type Sink = (event: LogEvent, state: SessionState) => void;

/** An open turn: the only way to append what belongs inside a turn. */
export interface Turn {
  readonly turn: number;
  readonly state: SessionState;
  append: (event: TurnEvent) => LogEvent;
  /** Closes the turn; afterwards every further call throws. */
  end: (stopReason: StopReason, error?: string) => void;
  /** Gives the turn up when the log itself fails; it is closed later, as after a crash. */
  abandon: () => void;
}

/** One session's log while it runs. */
export interface SessionLog {
  readonly state: SessionState;
  /** Whether a turn is being worked on right now. */
  readonly turnIsOpen: boolean;
  /** Opens the next turn. One at a time: throws while another is open. */
  openTurn: () => Turn;
  /** Appends a fact that stands between turns. Throws while a turn is open. */
  record: (event: IdleEvent) => void;
  /** Appends a fact that may stand anywhere, whether a turn is open or not. */
  note: (event: AnywhereEvent) => void;
  close: () => void;
}

/** What a log is made of. The store is the first to hear of an event, the sinks follow. */
export interface LogParts {
  store: Store;
  clock: Clock;
  sinks: readonly Sink[];
}

/** Starts the log of a new session with its line 1. */
export function createLog(created: SessionCreated, parts: LogParts): SessionLog {
  return continueLog(EMPTY_STATE, parts, created);
}

/**
 * Goes on with a log that was read up to `state`. A turn that a crash left open is closed at once,
 * with events.
 */
export function reopenLog(state: SessionState, parts: LogParts): SessionLog {
  return continueLog(state, parts);
}

function continueLog(from: SessionState, parts: LogParts, created?: SessionCreated): SessionLog {
  let state = from;
  let current: Turn | undefined;

  const append = (fact: Fact): LogEvent => {
    const event: LogEvent = { seq: state.seq + 1, time: parts.clock(), ...fact };
    parts.store.append(event);
    state = evolve(state, event);
    for (const sink of parts.sinks) sink(event, state);
    return event;
  };

  // A turn whose end could not be written (a full disk) is closed later, as after a crash.
  const settle = () => {
    for (const fact of closingFacts(state)) append(fact);
  };

  const openTurn = (): Turn => {
    if (current) throw new Error(`Turn ${current.turn} is still open.`);
    settle();
    const number = state.turns + 1;
    append({ type: 'turn/start', turn: number });
    const turn: Turn = {
      turn: number,
      get state() {
        return state;
      },
      append(event) {
        if (current !== turn) throw new Error(`Turn ${number} is closed; nothing can be appended.`);
        return append(event);
      },
      end(stopReason, error) {
        if (current !== turn) throw new Error(`Turn ${number} is closed already.`);
        current = undefined;
        append({ type: 'turn/end', turn: number, stopReason, ...(error ? { error } : {}) });
      },
      abandon() {
        if (current === turn) current = undefined;
      },
    };
    current = turn;
    return turn;
  };

  if (created) append(created);
  else settle();
  return {
    get state() {
      return state;
    },
    get turnIsOpen() {
      return current !== undefined;
    },
    openTurn,
    record(event) {
      if (current) throw new Error(`${event.type} cannot be recorded while a turn is open.`);
      settle();
      append(event);
    },
    note(event) {
      if (!current) settle();
      append(event);
    },
    close: () => parts.store.close(),
  };
}
