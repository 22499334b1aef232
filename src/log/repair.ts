import type { StopReason, TurnBracket, TurnEvent } from './events.ts';
import type { SessionState } from './state.ts';

/** What a call's result says when nobody knows how far it came. */
export const INTERRUPTED = 'This call was interrupted; the outcome is unknown.';

/** The results that close every open call of the current step, in the model's order. */
export function closeCalls(state: SessionState, text: string): TurnEvent[] {
  return (state.open?.openCalls ?? []).map((callId) => ({
    type: 'tool/result',
    callId,
    content: [{ type: 'text', text }],
    isError: true,
  }));
}

/** The facts that close the step that is open, if any. */
export function closeStep(state: SessionState): TurnEvent[] {
  const step = state.open?.step;
  return step === undefined ? [] : [{ type: 'step/end', step }];
}

/** The facts that close a turn which nobody works on any more; none when no turn is open. */
export function closingFacts(state: SessionState): (TurnEvent | TurnBracket)[] {
  if (!state.open) return [];
  const stopReason: StopReason = 'interrupted';
  return [
    ...closeCalls(state, INTERRUPTED),
    ...closeStep(state),
    { type: 'turn/end', turn: state.open.turn, stopReason },
  ];
}
