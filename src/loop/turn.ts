import type { PromptBlock } from '../log/events.ts';
import type { SessionLog, Turn } from '../log/log.ts';
import { closeCalls, closeStep } from '../log/repair.ts';
import { messageOf } from '../base/errors.ts';
import type { Usage } from '../model/types.ts';
import type { Agent, TurnStop } from './agent.ts';
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
  const cross = () => {
    for (const boundary of agent.boundaries) boundary(turn);
  };
  let usage: Usage | undefined;
  const end = (stopReason: TurnStop): TurnResult => {
    turn.end(stopReason);
    return { stopReason, usage };
  };
  try {
    cross(); // A mode flip lands here,
    turn.append({ type: 'user/message', ...prompt });
    for (let step = 1; step <= agent.limits.stepsMax; step++) {
      const result = await runStep(agent, turn, { step, signal });
      usage = addUsage(usage, result.usage);
      cross(); // or here, or nowhere.
      if (result.next !== 'again') return end(result.next);
    }
    return end('max_turn_requests');
  } catch (error) {
    fail(turn, cross, error);
    throw error;
  }
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

function addUsage(sum: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (!sum || !more) return sum ?? more;
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    cachedTokens: (sum.cachedTokens ?? 0) + (more.cachedTokens ?? 0),
    reasoningTokens: (sum.reasoningTokens ?? 0) + (more.reasoningTokens ?? 0),
  };
}
