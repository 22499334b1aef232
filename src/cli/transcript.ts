import type { Frame } from '../acp/client.ts';
import { isObject } from '../base/json.ts';
import { toDiffLines } from './diff_lines.ts';

/**
 * Follows the frames of a session and writes what a person at the editor would see: the mode, the
 * thoughts, each call with what came of it, each question with its answer.
 */
export function createTranscript(write: (text: string) => void): (frame: Frame) => void {
  // Chunks of one message follow one another without a break.
  let streaming = '';
  const line = (text: string) => {
    write(`${streaming === '' ? '' : '\n'}${text}\n`);
    streaming = '';
  };
  const chunk = (kind: string, lead: string, text: string) => {
    if (streaming !== kind) write(`${streaming === '' ? '' : '\n'}${lead}`);
    streaming = kind;
    write(text);
  };

  const questions = new Set<unknown>();
  const cards = new Map<unknown, string>();
  return ({ from, message }) => {
    const { id, method, params, result, error } = message as Record<string, unknown>;
    if (isObject(params) && method === 'session/update' && isObject(params['update'])) {
      showUpdate(params['update'], { line, chunk, cards });
    } else if (isObject(params) && method === 'session/prompt') {
      line(`\nYou: ${textOf(params['prompt'])}`);
    } else if (isObject(params) && from === 'agent' && method !== undefined) {
      questions.add(id);
      line(`  ? ${questionOf(params)}`);
    } else if (from === 'client' && method === undefined && questions.delete(id)) {
      line(`  → ${answerOf(result ?? error)}`);
    } else if (from === 'agent' && isObject(error)) {
      line(`! ${String(error['message'])}`);
    }
  };
}

interface Pen {
  line: (text: string) => void;
  chunk: (kind: string, lead: string, text: string) => void;
  /** What each open card shows already. */
  cards: Map<unknown, string>;
}

function showUpdate(update: Record<string, unknown>, { line, chunk, cards }: Pen): void {
  const messageId = String(update['messageId']);
  switch (update['sessionUpdate']) {
    case 'agent_thought_chunk':
      chunk(`thought ${messageId}`, '  (thinking) ', textOf(update['content']));
      return;
    case 'agent_message_chunk':
      chunk(`message ${messageId}`, '', textOf(update['content']));
      return;
    case 'current_mode_update':
      line(`\n◆ Mode: ${String(update['currentModeId'])}`);
      return;
    case 'tool_call':
      cards.set(update['toolCallId'], contentOf(update['content']));
      line(`● ${String(update['title'])}  [${String(update['kind'])}]`);
      return;
    case 'tool_call_update':
      if (update['status'] === 'completed' || update['status'] === 'failed') {
        const text = contentOf(update['content']);
        const shown = cards.get(update['toolCallId']) || undefined;
        line(indent(shown && text.startsWith(shown) ? text.slice(shown.length + 1) : text));
      }
      return;
    case 'plan':
      line(indent(entriesOf(update['entries'])));
  }
}

function contentOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  return blocks
    .map((block) =>
      block['type'] === 'diff'
        ? toDiffLines(String(block['path']), textOr(block['oldText']), textOr(block['newText']))
        : textOf(block['content']).replace(/^(`{3,})\n([^]*)\n\1$/, '$2'),
    )
    .join('\n');
}

function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function entriesOf(entries: unknown): string {
  const list = Array.isArray(entries) ? entries.filter(isObject) : [];
  return list
    .map((entry) => `- [${String(entry['status'])}] ${String(entry['content'])}`)
    .join('\n');
}

function questionOf(params: Record<string, unknown>): string {
  if (typeof params['message'] === 'string') return params['message'];
  const toolCall = params['toolCall'];
  return `Permission for ${isObject(toolCall) ? String(toolCall['title']) : 'a call'}`;
}

function answerOf(answer: unknown): string {
  if (!isObject(answer)) return String(answer);
  const outcome = answer['outcome'];
  if (isObject(outcome)) return String(outcome['optionId'] ?? outcome['outcome']);
  const content = isObject(answer['content']) ? Object.values(answer['content']) : [];
  const [first = answer['action'] ?? answer['message'], ...rest] = content;
  return [first, ...rest].map(String).join(': ');
}

function textOf(content: unknown): string {
  if (Array.isArray(content)) return content.map(textOf).join('');
  return isObject(content) && typeof content['text'] === 'string' ? content['text'] : '';
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ');
}
