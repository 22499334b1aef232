import { readCall } from '../acp/updates.ts';
import type { LogEvent, ResultBlock, TodoEntry } from '../log/events.ts';
import type { Card, Tool } from '../tools/tool.ts';
import { toDiffLines } from './diff_lines.ts';
import type { Screen } from './screen.ts';
import { fit, isPersonThere, toPlain } from './terminal.ts';

/** What the agent does, as a person follows it on stderr. */
export interface Progress {
  event: (event: LogEvent) => void;
  /** The output of a running call so far. */
  output: (text: string) => void;
}

/** The tools by which calls are described, and the directory that their paths are seen from. */
export interface ProgressParts {
  screen: Screen;
  cwd: string;
  tools: readonly Tool[];
}

/** A call from the answer that made it to its result. */
interface Shown {
  card: Card;
  /** Its line was written: it has begun, or a question is asked about it. */
  announced: boolean;
  /** What it is about to do was shown in full. */
  detailed: boolean;
  /** Its result is what the person has just typed. */
  answered: boolean;
}

const LINE_COLUMNS_MAX = 120;
const DIFF_LINES_MAX = 40;
const OUTPUT_LINES_MAX = 5;

/** Follows the events of a run. */
export function createProgress({ screen, cwd, tools }: ProgressParts): Progress {
  const calls = new Map<string, Shown>();
  let last: Shown | undefined;
  const announce = (call: Shown | undefined) => {
    if (call && !call.announced) screen.say(`● ${call.card.title}`, 'bold');
    if (call) call.announced = true;
    last = call;
  };
  const showResult = (event: Extract<LogEvent, { type: 'tool/result' }>) => {
    const call = calls.get(event.callId);
    calls.delete(event.callId);
    if (!call || call.answered) return;
    // Of calls that run side by side, each result names its own.
    const name = call.announced && call !== last ? `${call.card.title}: ` : '';
    announce(call);
    sayResult(screen, event, { call, name });
  };
  return {
    output(text) {
      const lines = toPlain(text).trimEnd().split('\n');
      screen.show(lines.at(-1) ?? '');
    },
    event(event) {
      switch (event.type) {
        case 'assistant/message':
          for (const call of event.calls) {
            const { card } = readCall(call, { cwd, tools });
            calls.set(call.callId, { card, announced: false, detailed: false, answered: false });
          }
          return;
        case 'ask':
          return sayQuestion(screen, event, { call: calls.get(event.callId), announce });
        case 'tool/call':
          // What asks is shown when it does.
          if (tools.some(({ name, asksPerson }) => asksPerson && name === event.name)) return;
          announce(calls.get(event.callId));
          return screen.show('running');
        case 'tool/result':
          return showResult(event);
        case 'step/start':
          return screen.show('waiting for the model');
        case 'retry':
          return screen.say(`↻ ${event.reason} Again in ${seconds(event.delayMs)}.`, 'yellow');
        case 'todo/write':
          return screen.say(event.entries.map(toTodoLine).join('\n') || '  (nothing to do)');
        case 'mode/set':
          return screen.say(`◆ Mode: ${event.mode}`, 'cyan');
        case 'compaction':
          return screen.say('◆ The conversation was summarised.', 'cyan');
        case 'session/created':
        case 'session/title':
        case 'knob/set':
        case 'mode/intent':
        case 'user/message':
        case 'context/message':
        case 'request/header':
        case 'answer':
        case 'file/seen':
        case 'step/end':
        case 'turn/start':
        case 'turn/end':
          return;
      }
    },
  };
}

// A person decides on the whole of it: the plan, the change, the command.
function sayQuestion(
  screen: Screen,
  { kind }: Extract<LogEvent, { type: 'ask' }>,
  { call, announce }: { call: Shown | undefined; announce: (call: Shown) => void },
): void {
  if (!call) return;
  // The questions themselves follow; their first one as a title would say it twice.
  if (kind !== 'question' || !isPersonThere()) announce(call);
  if (!isPersonThere()) return;
  call.announced = true;
  call.detailed = true;
  call.answered = kind !== 'permission';
  for (const block of call.card.content ?? []) {
    if (block.type === 'diff') sayDiff(screen, block, Infinity);
    if (block.type === 'text' && kind === 'review') sayPlan(screen, block.text);
    if (block.type === 'text' && kind === 'permission') screen.say(indent(block.text));
  }
}

function sayPlan(screen: Screen, plan: string): void {
  screen.say('');
  screen.sayMarkdown(plan);
  screen.say('');
}

function sayResult(
  screen: Screen,
  { content, isError }: Extract<LogEvent, { type: 'tool/result' }>,
  { call, name }: { call: Shown; name: string },
): void {
  const lines = toPlain(content.map(textOf).join('\n')).trimEnd().split('\n');
  if (call.card.kind === 'execute') {
    const shown = lines.slice(-OUTPUT_LINES_MAX).map((line) => fit(line, LINE_COLUMNS_MAX));
    const more = lines.length - shown.length;
    const cut = more > 0 ? [`(${more} lines before)`] : [];
    screen.say(indent([...cut, ...shown].join('\n')), 'dim');
  }
  const said = lines.length > 1 && !isError ? `${lines.length} lines` : (lines[0] ?? '');
  const ending = call.card.kind === 'execute' && isError ? (lines.at(-1) ?? '') : said;
  const line = `  ${isError ? '✗' : '✓'} ${fit(`${name}${ending}`, LINE_COLUMNS_MAX)}`;
  screen.say(line, isError ? 'red' : 'green');
  for (const block of content) {
    if (block.type === 'diff' && !call.detailed) sayDiff(screen, block, DIFF_LINES_MAX);
  }
}

function textOf(block: ResultBlock): string {
  return block.type === 'text' ? block.text : '';
}

function sayDiff(
  screen: Screen,
  { path, oldText, newText }: Extract<ResultBlock, { type: 'diff' }>,
  linesMax: number,
): void {
  const [, ...patch] = toDiffLines(path, oldText ?? '', newText).split('\n');
  // A part of a file has no newline at its end, which says nothing of the file.
  const lines = patch.filter((line) => !line.startsWith('\\'));
  for (const line of lines.slice(0, linesMax)) {
    const look = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim';
    screen.say(indent(line), look);
  }
  if (lines.length > linesMax) screen.say(indent(`(${lines.length - linesMax} more lines)`), 'dim');
}

const TODO_MARKS = { completed: '☑', in_progress: '◐', pending: '☐' } as const;

function toTodoLine({ content, status }: TodoEntry): string {
  return `  ${TODO_MARKS[status]} ${content}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ');
}
