import type { JsonObject } from '../base/json.ts';

/** A tool as chat completions describe it; `parameters` is a JSON Schema. */
export interface ToolSchema {
  type: 'function';
  function: { name: string; description: string; parameters: JsonObject };
}

/** One named part of the system prompt. */
export interface SystemSection {
  name: string;
  text: string;
}

/** What a request carries besides its messages. A change of it is a logged fact. */
export interface Header {
  model: string;
  /** Further parameters of the request body, such as `reasoning_effort`. */
  settings: JsonObject;
  system: SystemSection[];
  tools: ToolSchema[];
  /** Answers that called tools are sent back with their thoughts. */
  sendsReasoning?: true | undefined;
}

/** A part of a user message. Images travel as data URLs. */
export type UserPart =
  { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

/** A call as the model made it: `arguments` is the text it wrote, not yet parsed. */
export interface ModelCall {
  callId: string;
  name: string;
  arguments: string;
}

/** A message in the shape of chat completions. */
export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | UserPart[] }
  | {
      role: 'assistant';
      content: string | null;
      reasoning_content?: string;
      tool_calls?: WireCall[];
    }
  | { role: 'tool'; tool_call_id: string; content: string };

/** A call inside an assistant message on the wire. */
export interface WireCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/**
 * The body of one request to `/chat/completions`. `messages` is the last key, so that within one
 * header each body extends the bytes of the one before.
 */
export interface RequestBody {
  model: string;
  stream: true;
  stream_options: { include_usage: true };
  tools?: ToolSchema[];
  messages: ModelMessage[];
}

/**
 * Tokens of one request; `cachedTokens` are part of `inputTokens`, `reasoningTokens` of
 * `outputTokens`.
 */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens?: number | undefined;
  reasoningTokens?: number | undefined;
}

/** Why the model stopped: its own reason, or `cut` (stream broken off) or `cancelled` (by us). */
export type Finish = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'cut' | 'cancelled';

/** A piece of an answer while it streams. */
export interface Delta {
  kind: 'text' | 'reasoning';
  text: string;
}

/** One whole answer. `calls` holds complete calls only: a cut or truncated answer has none. */
export interface Completion {
  text: string;
  reasoning: string;
  calls: ModelCall[];
  finish: Finish;
  usage?: Usage | undefined;
  /** For `cut`: what broke the stream, in words for a person. */
  cutReason?: string | undefined;
}

/** One request in flight. */
export interface CompletionRequest {
  body: RequestBody;
  signal: AbortSignal;
  /** Called for each piece in order; a promise holds the stream back until it settles. */
  onDelta: (delta: Delta) => void | Promise<void>;
}

/** What the loop knows of a model. */
export interface Model {
  /** Throws `AuthError` without credentials. Called before a turn is opened. */
  ready(): void;
  /** The names of the models that the endpoint offers. Rejects where it has no such list. */
  list(signal: AbortSignal): Promise<string[]>;
  /** Throws `UserError` when the endpoint refuses; a broken or cancelled stream is a value. */
  complete(request: CompletionRequest): Promise<Completion>;
}
