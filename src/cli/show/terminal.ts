import { styleText } from 'node:util';
import type { PromptBlock, TodoEntry } from '../../log/events.ts';
import { DEFAULT_MODE } from '../../log/state.ts';
import { PLAN_MODE } from '../../modes/definitions.ts';
import { costOfRequests, type PriceOf } from './cost.ts';
import type { Entry, Timeline } from './entries.ts';
import { count, describeCost, describeTime, sumUsage } from './figures.ts';
import { cut, indent, type Paint, renderCall, renderPlan } from './terminal_calls.ts';
import { toVisible } from '../terminal.ts';
import * as words from './words.ts';

/** How a session is written to a terminal. */
export interface TerminalOptions {
  colours: boolean;
  priceOf: PriceOf;
}

/**
 * A session as text: a bar along the left where a mode is on, plans whole, outputs cut. Nothing
 * that stands in the log acts on the terminal.
 */
export function* renderText(
  timeline: Timeline,
  { colours, priceOf }: TerminalOptions,
): Generator<string> {
  const paint: Paint = (style, text) =>
    colours && text !== '' ? styleText(style, text, { validateStream: false }) : text;
  yield `${renderHead(timeline, { paint, priceOf })}\n`;
  for (const entry of timeline.entries) {
    const text = renderEntry(entry, paint);
    const apart = APART.has(entry.kind) ? '\n' : '';
    if (text !== '') yield `${withBar(`${apart}${text}`, entry, paint)}\n`;
  }
  const { openTurn } = timeline;
  if (openTurn === undefined) return;
  const open = `Turn ${openTurn} has no end in the log: it goes on, or its process ended first.`;
  yield `\n${paint('yellow', open)}\n`;
}

// What is read first has a blank line above it.
const APART: ReadonlySet<Entry['kind']> = new Set(['user', 'answer', 'plan']);

function renderHead(
  { session, title, turns, requests, startedAt }: Timeline,
  { paint, priceOf }: { paint: Paint; priceOf: PriceOf },
): string {
  const { inputTokens, cachedTokens, outputTokens } = sumUsage(requests);
  const cost = costOfRequests(requests, priceOf);
  const models = [...new Set(requests.map(({ model }) => model))].join(', ');
  const facts = [
    toVisible(models),
    count(turns, 'turn'),
    count(requests.length, 'request'),
    `${count(inputTokens)} tokens in (${count(cachedTokens)} cached)`,
    `${count(outputTokens)} out`,
    cost === undefined ? '' : describeCost(cost),
  ];
  return [
    paint('bold', toVisible(title ?? 'A session without a prompt')),
    toVisible(`${session.id}  ${session.cwd}  ${describeTime(startedAt)}`),
    ...(session.parent
      ? [toVisible(`forked from ${session.parent.id} at event ${session.parent.seq}`)]
      : []),
    facts.filter((fact) => fact !== '').join(' · '),
  ].join('\n');
}

// Without colours the bar alone says where a mode is on.
function withBar(text: string, { kind, mode }: Entry, paint: Paint): string {
  if (mode === DEFAULT_MODE || kind === 'turn') return text;
  const bar = paint(mode === PLAN_MODE ? 'magenta' : 'cyan', '┃');
  return text.replace(/^/gm, `${bar} `);
}

function renderEntry(entry: Entry, paint: Paint): string {
  switch (entry.kind) {
    case 'turn':
      return `\n${paint('bold', `── Turn ${entry.turn}`)}  ${describeTime(entry.time)}`;
    case 'turnEnd': {
      const how = words.describeStop(entry.stopReason);
      const why = entry.error === undefined ? '' : `: ${toVisible(entry.error)}`;
      return how === undefined ? '' : paint('red', `Turn ${how}${why}`);
    }
    case 'mode':
      return paint('bold', toVisible(`◆ Mode ${entry.mode}, from ${entry.from}`));
    case 'intent':
      return toVisible(`◇ Mode ${entry.to} chosen, for the next turn`);
    case 'knob':
      return toVisible(`  Option ${entry.id} set to ${entry.value}`);
    case 'user':
      return `${paint('bold', 'You:')} ${entry.content.map(renderPromptBlock).join('\n')}`;
    case 'context':
      return paint('dim', toVisible(`  Told to the model: ${entry.text}`));
    case 'header':
      return paint('dim', toVisible(`  ${words.describeHeader(entry)}`));
    case 'thought':
      return paint('dim', indent(cut(toVisible(`(thinking) ${entry.text.trim()}`))));
    case 'answer': {
      const end = entry.partial ? 'cut off' : words.describeFinish(entry.finish);
      return `${toVisible(entry.text.trimEnd())}${end === undefined ? '' : `\n  (${end})`}`;
    }
    case 'call':
      return renderCall(entry, paint);
    case 'plan':
      return renderPlan(entry, paint);
    case 'todo':
      return indent(entry.entries.map(renderTodo).join('\n'));
    case 'retry':
      return paint(
        'yellow',
        toVisible(`  ↻ Try ${entry.attempt} after ${entry.delayMs} ms: ${entry.reason}`),
      );
    case 'compaction':
      return `  The conversation up to here was summarised:\n${indent(toVisible(entry.summary))}`;
  }
}

function renderPromptBlock(block: PromptBlock): string {
  switch (block.type) {
    case 'text':
      return toVisible(block.text);
    case 'image':
      return toVisible(`[an image, ${block.mimeType}]`);
    case 'resource_link':
      return toVisible(`[${block.name}: ${block.uri}]`);
    case 'resource':
      return `${toVisible(`[${block.resource.uri}]`)}\n${cut(toVisible(block.resource.text))}`;
  }
}

function renderTodo({ content, status }: TodoEntry): string {
  const mark = { completed: '[x]', in_progress: '[>]', pending: '[ ]' }[status];
  return `${mark} ${toVisible(content)}`;
}
