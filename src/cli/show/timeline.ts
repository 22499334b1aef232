import { offered, readCall } from '../../acp/updates.ts';
import { UserError } from '../../base/errors.ts';
import type { AssistantMessage, LogEvent } from '../../log/events.ts';
import { DEFAULT_MODE } from '../../log/state.ts';
import { toTitle } from '../../log/title.ts';
import type { Header, ModelCall, Usage } from '../../model/types.ts';
import { EXIT_PLAN_MODE } from '../../modes/exit_plan_mode.ts';
import type { Tool } from '../../tools/tool.ts';
import type { CallCourse, CallPart, Entry, Part, PlanPart, Timeline } from './entries.ts';
import { compareHeaders } from './headers.ts';

// The timeline while it grows, with what the next events refer to.
interface Growing extends Timeline {
  entries: Entry[];
  requests: Timeline['requests'][number][];
  mode: string;
  header: Header | undefined;
  tools: readonly Tool[];
  calls: Map<string, CallCourse>;
  asks: Map<string, CallCourse>;
}

/**
 * The session as people read it. `tools` give the calls their titles. Throws `UserError` where
 * `events` do not begin with line 1 of a log.
 */
export function foldTimeline(events: Iterable<LogEvent>, tools: readonly Tool[]): Timeline {
  let growing: Growing | undefined;
  for (const event of events) {
    growing ??= begin(event, tools);
    growing.endedAt = event.time;
    const place = { seq: event.seq, time: event.time };
    for (const part of partsOf(event, growing)) {
      growing.entries.push({ ...part, ...place, mode: growing.mode });
      const entry = growing.entries.at(-1);
      if (entry?.kind === 'call' || entry?.kind === 'plan') growing.calls.set(entry.callId, entry);
    }
  }
  if (!growing) throw new UserError('The log holds no event.');
  const { session, startedAt, endedAt, title, turns, openTurn, entries, requests } = growing;
  return { session, startedAt, endedAt, title, turns, openTurn, entries, requests };
}

function begin(event: LogEvent, tools: readonly Tool[]): Growing {
  if (event.type !== 'session/created') {
    throw new UserError(`The log begins with ${event.type}; line 1 must be session/created.`);
  }
  return {
    session: event,
    startedAt: event.time,
    endedAt: event.time,
    title: undefined,
    turns: 0,
    openTurn: undefined,
    entries: [],
    requests: [],
    mode: DEFAULT_MODE,
    header: undefined,
    tools,
    calls: new Map(),
    asks: new Map(),
  };
}

// One line an event: every member of the union decides here how it shows.
function partsOf(event: LogEvent, growing: Growing): Part[] {
  switch (event.type) {
    case 'turn/start':
      growing.openTurn = event.turn;
      growing.turns = event.turn;
      return [{ kind: 'turn', turn: event.turn }];
    case 'turn/end': {
      const { turn, stopReason, error } = event;
      growing.openTurn = undefined;
      return [{ kind: 'turnEnd', turn, stopReason, error }];
    }
    case 'mode/intent':
      return [{ kind: 'intent', to: event.mode }];
    case 'mode/set': {
      const from = growing.mode;
      growing.mode = event.mode;
      return [{ kind: 'mode', from }];
    }
    case 'knob/set':
      return [{ kind: 'knob', id: event.id, value: event.value }];
    case 'session/title':
      growing.title = event.title;
      return [];
    case 'user/message':
      growing.title ??= toTitle(event.content);
      return [{ kind: 'user', content: event.content }];
    case 'context/message':
      return [{ kind: 'context', text: event.text }];
    case 'request/header': {
      const compared = compareHeaders(growing.header, event.header);
      growing.header = event.header;
      return [{ kind: 'header', reason: event.reason, ...compared }];
    }
    case 'assistant/message':
      use(growing, event.usage, false);
      return answerParts(event, growing);
    case 'compaction':
      use(growing, event.usage, true);
      return [{ kind: 'compaction', summary: event.summary }];
    case 'ask': {
      const course = growing.calls.get(event.callId);
      if (course) growing.asks.set(event.askId, Object.assign(course, { question: event }));
      return [];
    }
    case 'answer': {
      const course = growing.asks.get(event.askId);
      if (course) course.reply = event;
      return [];
    }
    case 'tool/call':
      note(growing, event.callId, { startedAt: event.time });
      return [];
    case 'tool/result': {
      const { content, isError, time } = event;
      note(growing, event.callId, { result: { content, isError, time } });
      return [];
    }
    case 'todo/write':
      return [{ kind: 'todo', entries: event.entries }];
    case 'retry': {
      const { attempt, reason, delayMs } = event;
      return [{ kind: 'retry', attempt, reason, delayMs }];
    }
    case 'session/created':
    case 'step/start':
    case 'step/end':
    case 'file/seen':
      return [];
  }
}

function note({ calls }: Growing, callId: string, part: Partial<CallCourse>): void {
  const course = calls.get(callId);
  if (course) Object.assign(course, part);
}

function use(growing: Growing, usage: Usage | undefined, compaction: boolean): void {
  if (!usage) return;
  const { turns: turn, mode, header } = growing;
  growing.requests.push({ turn, mode, model: header?.model ?? '', usage, compaction });
}

function answerParts(event: AssistantMessage, growing: Growing): Part[] {
  const { reasoning, text, finish, partial = false, calls } = event;
  return [
    ...(reasoning ? [{ kind: 'thought', text: reasoning } as const] : []),
    ...(text === '' ? [] : [{ kind: 'answer', text, finish, partial } as const]),
    ...calls.map((call) => callPart(call, growing)),
  ];
}

function callPart(call: ModelCall, { session, tools, header }: Growing): CallPart | PlanPart {
  const { callId, name } = call;
  const { card, input } = readCall(call, { cwd: session.cwd, tools: offered(tools, header) });
  const [first] = card.content ?? [];
  const shown = first?.type === 'text' ? first.text : undefined;
  if (name === EXIT_PLAN_MODE && shown !== undefined) {
    return { kind: 'plan', callId, title: card.title, plan: shown };
  }
  return { kind: 'call', callId, name, title: card.title, shown, input };
}
