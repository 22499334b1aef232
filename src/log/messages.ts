import type { ModelMessage, UserPart } from '../model/types.ts';
import type { AssistantMessage, PromptBlock, ResultBlock } from './events.ts';

/** A user's prompt as the model reads it. A plain text stays a plain string. */
export function toUser(content: readonly PromptBlock[]): ModelMessage {
  const parts = content.map(toPart);
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text') return { role: 'user', content: only.text };
  return { role: 'user', content: parts };
}

function toPart(block: PromptBlock): UserPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return toImagePart(block);
    case 'resource_link':
      return { type: 'text', text: `[${block.name}](${block.uri})` };
    case 'resource': {
      const { uri, text } = block.resource;
      return { type: 'text', text: `<resource uri="${uri}">\n${text}\n</resource>` };
    }
  }
}

/** A text that the harness adds, marked so that the model does not take it for the user's. */
export function toContext(event: { source: string; text: string }): ModelMessage {
  return {
    role: 'user',
    content: `<context source="${event.source}">\n${event.text}\n</context>`,
  };
}

/** The summary that stands for the messages a compaction removed. */
export function toSummary(summary: string): ModelMessage {
  return toContext({ source: 'compaction', text: summary });
}

/** The model's own answer, or undefined when a cut left nothing of it. */
export function toAssistant(event: AssistantMessage): ModelMessage | undefined {
  if (event.calls.length === 0) {
    return event.text === '' ? undefined : { role: 'assistant', content: event.text };
  }
  return {
    role: 'assistant',
    content: event.text === '' ? null : event.text,
    tool_calls: event.calls.map((call) => ({
      id: call.callId,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  };
}

/** A tool's result: its text blocks; images follow after the step, diffs are for the editor. */
export function toToolResult(event: { callId: string; content: ResultBlock[] }): ModelMessage {
  const texts = event.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return { role: 'tool', tool_call_id: event.callId, content: texts.join('\n') };
}

/** The images of a result as parts of the user message that follows the step. */
export function toImages(content: readonly ResultBlock[]): UserPart[] {
  return content.flatMap((block) => (block.type === 'image' ? [toImagePart(block)] : []));
}

function toImagePart(image: { mimeType: string; data: string }): UserPart {
  return { type: 'image_url', image_url: { url: `data:${image.mimeType};base64,${image.data}` } };
}
