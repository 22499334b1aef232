import { createHash } from 'node:crypto';
import type { Header, ModelMessage, RequestBody } from '../model/types.ts';
import type { SeenMessage, SessionState } from './state.ts';

/**
 * A named part of the system prompt, as a function of the session. Empty text drops the section.
 */
export interface PromptSection {
  name: string;
  /**
   * Sections stand in the order of this number: persona 0, mode 50, tools 100 to 199, then facts.
   */
  order: number;
  text: (state: SessionState) => string;
}

/** The system message: the sections in their order, a blank line between them. */
export function renderSystem(header: Header): string {
  return header.system.map((section) => section.text.trim()).join('\n\n');
}

/**
 * The next request as the log has it: the last header and the conversation. There is no other way
 * to build one, so what is sent is what the log says. Throws when no header was logged yet.
 */
export function foldRequest(state: SessionState): RequestBody {
  const header = state.header?.value;
  if (!header) throw new Error('No request/header was logged before the request.');
  return {
    model: header.model,
    ...header.settings,
    stream: true,
    stream_options: { include_usage: true },
    ...(header.tools.length > 0 ? { tools: header.tools } : {}),
    messages: [
      { role: 'system', content: renderSystem(header) },
      ...state.messages.map((seen) => toSent(seen, header)),
    ],
  };
}

// Even an answer without thoughts needs the field then.
function toSent({ message, reasoning = '' }: SeenMessage, header: Header): ModelMessage {
  const wanted = header.sendsReasoning && message.role === 'assistant' && message.tool_calls;
  return wanted ? { ...message, reasoning_content: reasoning } : message;
}

/** The SHA-256 of a request's exact bytes, as logged in `step/start`, in lower-case hex. */
export function digestOf(body: RequestBody): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}
