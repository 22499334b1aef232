import type { Completion, Delta, Finish, ModelCall, Usage } from './types.ts';

/** What this code reads of a chunk of a streamed chat completion; any part may be missing. */
export interface Chunk {
  choices?: readonly ChunkChoice[] | null | undefined;
  usage?: ChunkUsage | null | undefined;
}

interface ChunkChoice {
  index?: number | undefined;
  delta?: ChunkDelta | null | undefined;
  finish_reason?: string | null | undefined;
}

interface ChunkDelta {
  content?: string | null | undefined;
  refusal?: string | null | undefined;
  reasoning_content?: string | null | undefined;
  reasoning?: string | null | undefined;
  tool_calls?: readonly ChunkCall[] | null | undefined;
}

interface ChunkCall {
  index?: number | null | undefined;
  id?: string | null | undefined;
  function?: { name?: string | null | undefined; arguments?: string | null | undefined } | undefined;
}

interface ChunkUsage {
  prompt_tokens?: number | null | undefined;
  completion_tokens?: number | null | undefined;
  prompt_cache_hit_tokens?: number | null | undefined;
  prompt_tokens_details?: { cached_tokens?: number | null | undefined } | null | undefined;
  completion_tokens_details?: { reasoning_tokens?: number | null | undefined } | null | undefined;
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
  add: (chunk: Chunk) => Delta[];
  /** Whether anything of the answer has come. */
  begun: () => boolean;
  /** The answer as it stands; `broken` says what cut it off, if something did. */
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
      usage = chunk.usage ? toUsage(chunk.usage) : usage;
      const choice = chunk.choices?.find(({ index = 0 }) => index === 0);
      if (!choice) return [];
      finishReason = choice.finish_reason ?? finishReason;
      for (const call of choice.delta?.tool_calls ?? []) addCall(calls, call);
      const deltas = toDeltas(choice.delta ?? {});
      for (const delta of deltas) (delta.kind === 'text' ? text : reasoning).push(delta.text);
      return deltas;
    },
    begun: () => text.length + reasoning.length + calls.length > 0 || finishReason !== undefined,
    finish(broken) {
      const finish = broken?.finish ?? toFinish(finishReason, calls.length > 0);
      const cutReason = broken ? broken.reason : 'The stream ended before the answer was complete.';
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
  const reasoning = delta.reasoning_content ?? delta.reasoning ?? '';
  const text = `${delta.content ?? ''}${delta.refusal ?? ''}`;
  return [
    ...(reasoning === '' ? [] : [{ kind: 'reasoning' as const, text: reasoning }]),
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
  ];
}

// A fragment belongs to the call of its index; without one, to the call of its id, else to the last.
function addCall(calls: DraftCall[], fragment: ChunkCall): void {
  const { id, index } = fragment;
  let call =
    typeof index === 'number'
      ? calls.find((known) => known.index === index)
      : id
        ? calls.find((known) => known.id === id)
        : calls.at(-1);
  if (!call) {
    call = { index: index ?? undefined, id: '', name: '', arguments: [] };
    calls.push(call);
  }
  call.id ||= id ?? '';
  call.name ||= fragment.function?.name ?? '';
  call.arguments.push(fragment.function?.arguments ?? '');
}

function toCalls(calls: readonly DraftCall[]): ModelCall[] {
  const taken = new Set(calls.map(({ id }) => id));
  const given = new Set<string>();
  return calls.map(({ id, name, arguments: pieces }) => {
    let callId = id;
    for (let n = 1; callId === '' || given.has(callId); n++) {
      if (!taken.has(`call_${n}`) && !given.has(`call_${n}`)) callId = `call_${n}`;
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
    inputTokens: usage.prompt_tokens ?? 0,
    outputTokens: usage.completion_tokens ?? 0,
    ...(typeof cached === 'number' ? { cachedTokens: cached } : {}),
    ...(typeof reasoning === 'number' ? { reasoningTokens: reasoning } : {}),
  };
}
