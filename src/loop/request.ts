import { setTimeout as sleep } from 'node:timers/promises';
import { OverflowError, TransientError, UserError } from '../base/errors.ts';
import type { Turn } from '../log/log.ts';
import type { Completion, ModelCall, RequestBody } from '../model/types.ts';
import type { Agent } from './agent.ts';

/** The longest wait before a request is repeated, unless the provider asks for more. */
const DELAY_MS_MAX = 30_000;

/** A provider that asks to wait for longer than this is not waited for. */
const PATIENCE_MS_MAX = 5 * 60_000;

const NOTHING: Completion = { text: '', reasoning: '', calls: [], finish: 'cancelled' };

/** Why a request is to be made once more. */
interface Failure {
  error: UserError;
  afterMs: number | undefined;
  /** Whether a person has seen a part of the answer. */
  shown: boolean;
}

/**
 * Makes the request of a step until it is answered: what may go well another time is repeated, a
 * cut after something was shown once, with what was shown kept. Each repetition is logged first.
 * Throws what cannot be helped; a cancellation while waiting is a value.
 */
export async function requestAnswer(
  agent: Agent,
  turn: Turn,
  { body, signal }: { body: RequestBody; signal: AbortSignal },
): Promise<Completion | OverflowError> {
  let cuts = 0;
  for (let attempt = 1; ; attempt++) {
    const messageId = agent.ids.next('msg');
    const answer = await ask(agent, messageId, { body, signal });
    if (answer instanceof OverflowError) return answer;
    const failure = failureOf(answer);
    const logged = answer instanceof TransientError ? NOTHING : logAnswer(turn, messageId, answer);
    if (!failure || signal.aborted) return logged;
    if (failure.shown) cuts += 1;
    if (attempt > agent.limits.retriesMax || cuts > 1) throw exhausted(failure.error, attempt);
    const delayMs = delayOf(failure, { attempt, baseMs: agent.limits.retryDelayMs });
    if (delayMs > PATIENCE_MS_MAX) throw tooLong(failure.error, delayMs);
    turn.append({ type: 'retry', attempt, reason: failure.error.message, delayMs });
    await sleep(delayMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return NOTHING;
  }
}

async function ask(
  agent: Agent,
  messageId: string,
  { body, signal }: { body: RequestBody; signal: AbortSignal },
): Promise<Completion | OverflowError | TransientError> {
  const { client } = agent.knobs.inForce().model;
  try {
    const onDelta = agent.client.onDelta.bind(agent.client, messageId);
    return await client.complete({ body, signal, onDelta });
  } catch (error) {
    if (error instanceof OverflowError || error instanceof TransientError) return error;
    throw error;
  }
}

function failureOf(answer: Completion | TransientError): Failure | undefined {
  if (answer instanceof TransientError) {
    return { error: answer, afterMs: answer.afterMs, shown: false };
  }
  const { text, reasoning, calls, finish } = answer;
  const shown = text !== '' || reasoning !== '';
  if (finish === 'cut') {
    const reason = answer.cutReason ?? 'The model stream was cut off.';
    return { error: new UserError(reason), afterMs: undefined, shown };
  }
  const empty = finish === 'stop' && !shown && calls.length === 0;
  if (!empty) return undefined;
  const error = new UserError('The model gave an empty answer.');
  return { error, afterMs: undefined, shown };
}

function logAnswer(turn: Turn, messageId: string, completion: Completion): Completion {
  const { text, reasoning, finish, usage } = completion;
  const calls = uniqueCalls(turn, completion.calls);
  const partial = finish === 'cut' || finish === 'cancelled';
  if (text === '' && reasoning === '' && calls.length === 0) return { ...completion, calls };
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
  return { ...completion, calls };
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

// Doubled each time, and not the same for everybody who was refused at the same moment.
function delayOf(
  { afterMs }: Failure,
  { attempt, baseMs }: { attempt: number; baseMs: number },
): number {
  const jitter = 0.5 + Math.random() / 2;
  const backoff = Math.min(DELAY_MS_MAX, baseMs * 2 ** (attempt - 1)) * jitter;
  return Math.round(Math.max(afterMs ?? 0, backoff));
}

function exhausted(error: UserError, attempts: number): UserError {
  if (attempts === 1) return error;
  return new UserError(`${error.message} It was tried ${attempts} times.`);
}

function tooLong(error: UserError, delayMs: number): UserError {
  return new UserError(
    `${error.message} The provider asks to wait for ${Math.round(delayMs / 1000)} seconds.`,
  );
}
