import { isObject } from '../base/json.ts';
import type { Completion, Delta, Finish, ModelCall, Usage } from './types.ts';

/**
 * What this code reads of a chunk of a streamed chat completion. Any part may be missing, and
 * `unknown` stands where endpoints are known to send another type than OpenAI does.
 */
export interface Chunk {
  choices?: readonly ChunkChoice[] | null | undefined;
  usage?: ChunkUsage | null | undefined;
}

interface ChunkChoice {
  index?: number | undefined;
  delta?: ChunkDelta | null | undefined;
  finish_reason?: string | null | undefined;
  usage?: ChunkUsage | null | undefined;
}

interface ChunkDelta {
  content?: unknown;
  refusal?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  tool_calls?: readonly ChunkCall[] | null | undefined;
}

interface ChunkCall {
  index?: number | null | undefined;
  id?: string | null | undefined;
  function?: { name?: string | null | undefined; arguments?: unknown } | null | undefined;
}

interface ChunkUsage {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  prompt_cache_hit_tokens?: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown } | null | undefined;
  completion_tokens_details?: { reasoning_tokens?: unknown } | null | undefined;
}

interface DraftCall {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string[];
}

/** An answer while it streams. */
export interface Draft {
  /** Takes a chunk; gives back what it adds to the text and the thoughts. */
  add: (chunk: Chunk | null) => Delta[];
  /** Whether anything of the answer has come. */
  begun: () => boolean;
  /**
   * The answer as it stands; `broken` says what cut it off, if something did. What breaks after
   * the model's own finish reason cuts nothing off.
   */
  finish: (broken?: { finish: 'cut' | 'cancelled'; reason?: string }) => Completion;
}

/** A draft of one answer. Only the first choice counts. */
export function createDraft(): Draft {
  const text: string[] = [];
  const reasoning: string[] = [];
  const calls: DraftCall[] = [];
  let finishReason: string | undefined;
  let usage: Usage | undefined;

  return {
    add(chunk) {
      if (!chunk) return [];
      const choice = chunk.choices?.find(({ index = 0 }) => index === 0);
      const counted = chunk.usage ?? choice?.usage;
      if (counted) usage = toUsage(counted);
      if (!choice) return [];
      // Some endpoints send an empty reason with every piece until the last.
      finishReason = choice.finish_reason || finishReason;
      for (const call of choice.delta?.tool_calls ?? []) addCall(calls, call);
      const deltas = toDeltas(choice.delta ?? {});
      for (const delta of deltas) (delta.kind === 'text' ? text : reasoning).push(delta.text);
      return deltas;
    },
    begun: () => text.length + reasoning.length + calls.length > 0 || finishReason !== undefined,
    finish(broken) {
      const whole = broken?.finish === 'cut' && finishReason !== undefined;
      const finish = broken && !whole ? broken.finish : toFinish(finishReason, calls.length > 0);
      const cutReason = broken?.reason ?? 'The stream ended before the answer was complete.';
      return {
        text: text.join(''),
        reasoning: reasoning.join(''),
        calls: finish === 'tool_calls' ? toCalls(calls) : [],
        finish,
        usage,
        ...(finish === 'cut' ? { cutReason } : {}),
      };
    },
  };
}

function toDeltas(delta: ChunkDelta): Delta[] {
  const reasoning = textOf(delta.reasoning_content) || textOf(delta.reasoning);
  const text = textOf(delta.content) + textOf(delta.refusal);
  return [
    ...(reasoning === '' ? [] : [{ kind: 'reasoning' as const, text: reasoning }]),
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
  ];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function addCall(calls: DraftCall[], fragment: ChunkCall): void {
  let call = findCall(calls, fragment);
  if (!call) {
    call = { index: fragment.index ?? undefined, id: '', name: '', arguments: [] };
    calls.push(call);
  }
  call.id ||= fragment.id ?? '';
  call.name ||= fragment.function?.name ?? '';
  const piece = fragment.function?.arguments;
  // Local servers are known to send the arguments as an object instead of its text.
  call.arguments.push(isObject(piece) ? JSON.stringify(piece) : textOf(piece));
}

// A fragment belongs to the call of its index; without one, to that of its id, else to the last.
function findCall(calls: DraftCall[], { index, id, function: part }: ChunkCall) {
  if (typeof index !== 'number') {
    return id ? calls.find((call) => call.id === id) : calls.at(-1);
  }
  const call = calls.findLast((known) => known.index === index);
  // Some endpoints number each of several calls 0: another id with a name begins another call.
  const another = call && id && call.id !== '' && call.id !== id && part?.name;
  return another ? undefined : call;
}

function toCalls(calls: readonly DraftCall[]): ModelCall[] {
  const taken = new Set(calls.map(({ id }) => id));
  const given = new Set<string>();
  return calls.map(({ id, name, arguments: pieces }) => {
    let callId = id;
    for (let n = 1; callId === '' || given.has(callId); n++) {
      if (!taken.has(`call_${n}`)) callId = `call_${n}`;
    }
    given.add(callId);
    return { callId, name, arguments: pieces.join('') };
  });
}

function toFinish(reason: string | undefined, hasCalls: boolean): Finish {
  switch (reason) {
    case undefined:
      return 'cut';
    case 'length':
    case 'content_filter':
      return reason;
    default:
      return hasCalls ? 'tool_calls' : 'stop';
  }
}

function toUsage(usage: ChunkUsage): Usage {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens;
  return {
    inputTokens: isCount(usage.prompt_tokens) ? usage.prompt_tokens : 0,
    outputTokens: isCount(usage.completion_tokens) ? usage.completion_tokens : 0,
    ...(isCount(cached) ? { cachedTokens: cached } : {}),
    ...(isCount(reasoning) ? { reasoningTokens: reasoning } : {}),
  };
}

// What is no count must not reach the log, which would then not load any more.
function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
