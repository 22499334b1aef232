import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk/unstable';
import type { LogEvent, ResultBlock } from '../log/events.ts';
import type { ModelCall } from '../model/types.ts';
import type { Card } from '../tools/tool.ts';

/** A call's card, as it was sent. */
export type SentCard = Extract<SessionUpdate, { sessionUpdate: 'tool_call' }>;

/** The card of a call before it has run. */
export function toToolCall(
  call: ModelCall,
  { card, input }: { card: Card; input: unknown },
): SentCard {
  return {
    sessionUpdate: 'tool_call',
    toolCallId: call.callId,
    title: card.title,
    name: call.name,
    kind: card.kind,
    status: 'pending',
    rawInput: input,
    ...(card.locations ? { locations: card.locations.map(toLocation) } : {}),
    ...(card.content ? { content: card.content.map((block) => toCardContent(block, card)) } : {}),
  };
}

function toLocation({ path, line }: { path: string; line?: number | undefined }) {
  return line === undefined ? { path } : { path, line };
}

/** The card of a call that has its result. */
export function toResult(
  event: Extract<LogEvent, { type: 'tool/result' }>,
  card: Card | undefined,
): SessionUpdate {
  const diffs = event.content.filter((block) => block.type === 'diff');
  // A diff says it all; a reviewed plan stays in its card, with the outcome under it.
  const shown = diffs.length > 0 ? diffs : event.content;
  const before = card?.format === 'markdown' ? (card.content ?? []) : [];
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId: event.callId,
    status: event.isError ? 'failed' : 'completed',
    content: [...before, ...shown].map((block) => toCardContent(block, card)),
    rawOutput: { isError: event.isError, text: textOf(event.content) },
    ...(diffs.length > 0 ? { locations: diffs.map(firstChange) } : {}),
  };
}

function textOf(content: readonly ResultBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function firstChange(diff: Extract<ResultBlock, { type: 'diff' }>): { path: string; line: number } {
  const before = (diff.oldText ?? '').split('\n');
  const after = diff.newText.split('\n');
  const changed = after.findIndex((line, index) => line !== before[index]);
  return { path: diff.path, line: changed === -1 ? after.length : changed + 1 };
}

/** A block as a card shows it; text that is not markdown is fenced. */
export function toCardContent(block: ResultBlock, card: Card | undefined): ToolCallContent {
  switch (block.type) {
    case 'text': {
      const text = card?.format === 'markdown' ? block.text : fenced(block.text);
      return { type: 'content', content: { type: 'text', text } };
    }
    case 'image':
      return { type: 'content', content: block };
    case 'diff':
      return block;
  }
}

// The fence is longer than any run of backticks inside, so no output can break out of it.
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}
