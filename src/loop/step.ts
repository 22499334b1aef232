import { OverflowError, UserError } from '../base/errors.ts';
import { sameJson } from '../base/json.ts';
import type { Turn } from '../log/log.ts';
import { digestOf, foldRequest } from '../log/request.ts';
import type { Completion, ModelCall, RequestBody, Usage } from '../model/types.ts';
import { viewTools, type ToolView } from '../tools/view.ts';
import type { Agent, TurnStop } from './agent.ts';
import { runCalls } from './calls.ts';
import { assembleHeader } from './prompt.ts';

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

async function requestAnswer(
  agent: Agent,
  turn: Turn,
  { body, signal }: { body: RequestBody; signal: AbortSignal },
): Promise<Completion | OverflowError> {
  const messageId = agent.ids.next('msg');
  const completion = await agent.knobs
    .inForce()
    .model.client.complete({
      body,
      signal,
      onDelta: (delta) => agent.client.onDelta(messageId, delta),
    })
    .catch(overflowOrThrow);
  if (completion instanceof OverflowError) return completion;
  const { text, reasoning, finish, usage } = completion;
  const calls = uniqueCalls(turn, completion.calls);
  const partial = finish === 'cut' || finish === 'cancelled';
  if (!partial || text !== '' || reasoning !== '') {
    turn.append({
      type: 'assistant/message',
      messageId,
      text,
      ...(reasoning === '' ? {} : { reasoning }),
      calls,
      finish,
      ...(usage ? { usage } : {}),
      ...(partial ? { partial } : {}),
    });
  }
  return { ...completion, calls };
}

function overflowOrThrow(error: unknown): OverflowError {
  if (error instanceof OverflowError) return error;
  throw error;
}

// Some providers count their call ids anew in each answer; editors key their cards by them.
function uniqueCalls(turn: Turn, calls: readonly ModelCall[]): ModelCall[] {
  if (calls.length === 0) return [];
  const taken = new Set(
    turn.state.messages.flatMap(({ message }) =>
      message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [],
    ),
  );
  return calls.map((call) => {
    let callId = call.callId;
    for (let n = 2; taken.has(callId); n++) callId = `${call.callId}_${n}`;
    taken.add(callId);
    return { ...call, callId };
  });
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
