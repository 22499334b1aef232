import { OverflowError, UserError } from '../base/errors.ts';
import { sameJson } from '../base/json.ts';
import type { Turn } from '../log/log.ts';
import { digestOf, foldRequest } from '../log/request.ts';
import type { Completion, RequestBody, Usage } from '../model/types.ts';
import { viewTools, type ToolView } from '../tools/view.ts';
import type { Agent, TurnStop } from './agent.ts';
import { runCalls } from './calls.ts';
import { assembleHeader } from './prompt.ts';
import { requestAnswer } from './request.ts';

/** One step of a turn. */
export interface StepResult {
  /** `again` when the model waits for results, else how the turn ends; or what did not fit. */
  next: 'again' | TurnStop | OverflowError;
  usage: Usage | undefined;
}

/** One request with its tool calls, from the header to `step/end`. Throws what fails the turn. */
export async function runStep(
  agent: Agent,
  turn: Turn,
  { step, signal }: { step: number; signal: AbortSignal },
): Promise<StepResult> {
  const view = viewTools(agent.tools(), turn.state);
  const body = openStep(agent, turn, { step, view });
  const close = (next: StepResult['next'], usage?: Usage): StepResult => {
    turn.append({ type: 'step/end', step });
    return { next, usage };
  };
  const completion = await requestAnswer(agent, turn, { body, signal });
  if (completion instanceof OverflowError) return close(completion);
  return close(await settle(agent, turn, { completion, view, signal }), completion.usage);
}

// The header is logged when it changed, then the digest of the request that is about to be sent.
function openStep(
  agent: Agent,
  turn: Turn,
  { step, view }: { step: number; view: ToolView },
): RequestBody {
  const header = assembleHeader(agent, turn.state, view);
  const last = turn.state.header;
  const headerSeq =
    last && sameJson(header, last.value)
      ? last.seq
      : turn.append({ type: 'request/header', reason: last ? 'changed' : 'initial', header }).seq;
  const body = foldRequest(turn.state);
  turn.append({ type: 'step/start', step, headerSeq, sha256: digestOf(body) });
  return body;
}

async function settle(
  agent: Agent,
  turn: Turn,
  answer: { completion: Completion; view: ToolView; signal: AbortSignal },
): Promise<'again' | TurnStop> {
  const { completion, view, signal } = answer;
  switch (completion.finish) {
    case 'tool_calls':
      return runCalls(agent, turn, { calls: completion.calls, view, signal });
    case 'stop':
      return signal.aborted ? 'cancelled' : 'end_turn';
    case 'length':
      return 'max_tokens';
    case 'content_filter':
      return 'refusal';
    case 'cancelled':
      return 'cancelled';
    case 'cut':
      throw new UserError(completion.cutReason ?? 'The model stream was cut off.');
  }
}
