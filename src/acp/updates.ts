import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import { isObject } from '../base/json.ts';
import type { AssistantMessage, LogEvent, PromptBlock } from '../log/events.ts';
import type { SessionState } from '../log/state.ts';
import type { Header, ModelCall } from '../model/types.ts';
import { EXIT_PLAN_MODE } from '../modes/exit_plan_mode.ts';
import type { Card, Tool } from '../tools/tool.ts';
import { type SentCard, toResult, toToolCall } from './cards.ts';

/** How an event shows in an editor: the updates it becomes, in their order. */
export type Projection = (event: LogEvent, state: SessionState) => SessionUpdate[];

/** What a projection needs to know of a session. */
export interface ProjectionParts {
  cwd: string;
  tools: readonly Tool[];
}

/**
 * The one map from log to wire. It is fed the events of one session in their order, and remembers
 * only the cards that are open. `onCard` hears of each card that is made.
 */
export function createProjection(
  { cwd, tools }: ProjectionParts,
  onCard: (card: SentCard) => void = () => {},
): Projection {
  const cards = new Map<string, Card>();
  const open = (call: ModelCall, state: SessionState): SessionUpdate[] => {
    const { card, input } = readCall(call, { cwd, tools: offered(tools, state.header?.value) });
    cards.set(call.callId, card);
    const sent = toToolCall(call, { card, input });
    onCard(sent);
    return [...planMessage(call, card), sent];
  };

  return (event, state) => {
    switch (event.type) {
      case 'user/message':
        return event.content.map((block) => ({
          sessionUpdate: 'user_message_chunk',
          messageId: event.messageId,
          content: toContentBlock(block),
        }));
      case 'assistant/message':
        return [...toChunks(event), ...event.calls.flatMap((call) => open(call, state))];
      case 'tool/call':
        return [
          { sessionUpdate: 'tool_call_update', toolCallId: event.callId, status: 'in_progress' },
        ];
      case 'tool/result': {
        const card = cards.get(event.callId);
        cards.delete(event.callId);
        return [toResult(event, card)];
      }
      case 'todo/write':
        return [{ sessionUpdate: 'plan', entries: event.entries }];
      case 'mode/intent':
      case 'mode/set':
        return [{ sessionUpdate: 'current_mode_update', currentModeId: event.mode }];
      case 'compaction':
        return [
          {
            sessionUpdate: 'compaction_update',
            compactionId: event.compactionId,
            status: 'completed',
            summary: [{ type: 'text', text: event.summary }],
          },
        ];
      case 'session/title':
        return [{ sessionUpdate: 'session_info_update', title: event.title }];
      case 'session/created':
      case 'knob/set':
      case 'turn/start':
      case 'turn/end':
      case 'context/message':
      case 'request/header':
      case 'step/start':
      case 'step/end':
      case 'ask':
      case 'answer':
      case 'file/seen':
      case 'retry':
        return [];
    }
  };
}

/**
 * The tools that a request offered. A call to another one shows as what it is: an unknown tool.
 */
export function offered(tools: readonly Tool[], header: Header | undefined): Tool[] {
  const names = new Set(header?.tools.map((tool) => tool.function.name));
  return tools.filter((tool) => names.has(tool.name));
}

/** How a call shows: by the card of its tool where its arguments fit, else by its name alone. */
export function readCall(
  call: ModelCall,
  { cwd, tools }: ProjectionParts,
): { card: Card; input: unknown } {
  const tool = tools.find(({ name }) => name === call.name);
  const parsed = tool?.parse(call.arguments);
  if (tool && parsed?.ok) return { card: tool.card(parsed.input, cwd), input: parsed.input };
  const card: Card = { title: foreignTitle(call.name), kind: 'other' };
  return { card, input: parsed?.ok === false ? call.arguments : readJson(call.arguments) };
}

// A tool of a server shows the same whether the server is there or not: a load comes before it is.
function foreignTitle(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return server !== undefined && tool !== undefined ? `${server}: ${tool}` : name || 'unnamed tool';
}

function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : text;
  } catch {
    return text;
  }
}

// Editors may fold a card away while its review is open, so the plan is also a message of its own.
function planMessage(call: ModelCall, card: Card): SessionUpdate[] {
  if (call.name !== EXIT_PLAN_MODE || card.kind !== 'switch_mode') return [];
  return (card.content ?? []).flatMap((block) =>
    block.type === 'text'
      ? [
          {
            sessionUpdate: 'agent_message_chunk',
            messageId: `${call.callId}-plan`,
            content: { type: 'text', text: block.text },
          },
        ]
      : [],
  );
}

function toChunks(event: AssistantMessage): SessionUpdate[] {
  const { messageId, reasoning, text } = event;
  return [
    ...(reasoning ? [toDelta(messageId, { kind: 'reasoning', text: reasoning })] : []),
    ...(text === '' ? [] : [toDelta(messageId, { kind: 'text', text })]),
  ];
}

/** A piece of an answer as a chunk. */
export function toDelta(
  messageId: string,
  delta: { kind: 'text' | 'reasoning'; text: string },
): SessionUpdate {
  return {
    sessionUpdate: delta.kind === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk',
    messageId,
    content: { type: 'text', text: delta.text },
  };
}

function toContentBlock(block: PromptBlock): ContentBlock {
  if (block.type !== 'resource') return block;
  const { uri, text, mimeType } = block.resource;
  return { type: 'resource', resource: { uri, text, ...(mimeType ? { mimeType } : {}) } };
}
