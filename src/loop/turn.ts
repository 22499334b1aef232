import type { PromptBlock } from '../log/events.ts';
import type { SessionLog, Turn } from '../log/log.ts';
import { closeCalls, closeStep } from '../log/repair.ts';
import { toTitle } from '../log/title.ts';
import { messageOf, OverflowError } from '../base/errors.ts';
import type { Usage } from '../model/types.ts';
import { addUsage } from '../model/usage.ts';
import type { Agent, TurnStop } from './agent.ts';
import { type CompactionOutcome, needsCompaction, runCompaction } from './compaction.ts';
import { runStep } from './step.ts';

/** How a turn ended, for the answer to its prompt. `usage` is the sum of its requests. */
export interface TurnResult {
  stopReason: TurnStop;
  usage: Usage | undefined;
}

/** What a turn starts from. */
export interface Prompt {
  messageId: string;
  content: PromptBlock[];
}

/**
 * One prompt's work. Resolves with how it ended, a cancellation included; throws what made it fail,
 * after the failure is in the log.
 */
export async function runTurn(
  agent: Agent,
  log: SessionLog,
  { prompt, signal }: { prompt: Prompt; signal: AbortSignal },
): Promise<TurnResult> {
  const turn = log.openTurn();
  const cross = () => crossBoundaries(agent, turn);
  let usage: Usage | undefined;
  const end = (stopReason: TurnStop): TurnResult => {
    nameSession(turn, prompt);
    turn.end(stopReason);
    return { stopReason, usage };
  };
  const room = createRoom(agent, turn, signal);
  try {
    cross(); // A mode flip lands here,
    turn.append({ type: 'user/message', ...prompt });
    for (let step = 1; step <= agent.limits.stepsMax; step++) {
      await room.keep();
      await untilAborted(agent.settle(), signal);
      const result = await runStep(agent, turn, { step, signal });
      usage = addUsage(usage, result.usage);
      cross(); // or here, or nowhere.
      if (result.next instanceof OverflowError) await room.make(result.next);
      else if (result.next !== 'again') return end(result.next);
    }
    return end('max_turn_requests');
  } catch (error) {
    fail(turn, cross, error);
    throw error;
  }
}

// The first thing that a person says names the session until they name it themselves.
function nameSession(turn: Turn, { content }: Prompt): void {
  const title = turn.state.title === undefined ? toTitle(content) : undefined;
  if (title !== undefined) turn.append({ type: 'session/title', title, source: 'auto' });
}

// A server that takes its time is no reason to let a cancellation wait.
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let abort = () => {};
  const aborted = new Promise<void>((resolve) => {
    abort = resolve;
    if (signal.aborted) resolve();
    signal.addEventListener('abort', abort, { once: true });
  });
  await Promise.race([work, aborted]);
  signal.removeEventListener('abort', abort);
}

function crossBoundaries(agent: Agent, turn: Turn): void {
  for (const boundary of agent.boundaries) boundary(turn);
}

/** A turn that only compacts. Resolves with how that came out; a failure of the log is thrown. */
export async function runCompactionTurn(
  agent: Agent,
  log: SessionLog,
  signal: AbortSignal,
): Promise<CompactionOutcome> {
  const turn = log.openTurn();
  const cross = () => crossBoundaries(agent, turn);
  try {
    cross();
    const outcome = await runCompaction(agent, turn, signal);
    turn.end(signal.aborted ? 'cancelled' : 'end_turn');
    return outcome;
  } catch (error) {
    fail(turn, cross, error);
    throw error;
  }
}

// Room in the context window: kept ahead of time, and made once where a request did not fit.
function createRoom(agent: Agent, turn: Turn, signal: AbortSignal) {
  let gaveUp = false;
  let made = false;
  return {
    async keep() {
      if (gaveUp || signal.aborted || !needsCompaction(turn.state, agent)) return;
      const { done } = await runCompaction(agent, turn, signal);
      // The session is as it was: the request is tried as it is, and the next turn tries again.
      gaveUp = !done;
    },
    async make(overflow: OverflowError) {
      if (made) throw overflow;
      made = true;
      const outcome = await runCompaction(agent, turn, signal);
      if (outcome.done || signal.aborted) return;
      throw new OverflowError(`${overflow.message} Making room failed: ${outcome.reason}`);
    },
  };
}

// Closes whatever the failure left open. When the log itself is what failed, the turn is given up.
function fail(turn: Turn, cross: () => void, error: unknown): void {
  try {
    const text = 'The turn failed before this call was done; the outcome is unknown.';
    for (const event of closeCalls(turn.state, text)) turn.append(event);
    for (const event of closeStep(turn.state)) turn.append(event);
    cross();
    turn.end('failed', messageOf(error));
  } catch {
    turn.abandon();
  }
}
