import type { Usage } from '../model/types.ts';
import { addUsage } from '../model/usage.ts';
import type { AssistantMessage, LogEvent, Question, Reply } from './events.ts';
import { toAssistant, toContext, toImages, toSummary, toToolResult, toUser } from './messages.ts';
import type { OpenTurn, SeenMessage, SessionState } from './state.ts';
import { DEFAULT_MODE } from './state.ts';

/**
 * The next state: pure, one step an event, and all there is to know of the log. The event is
 * trusted: it comes from the log itself or through the reading edge.
 */
export function evolve(state: SessionState, event: LogEvent): SessionState {
  return { ...state, ...changes(state, event), seq: event.seq };
}

// Outside plan nothing is under review any more.
function withoutPresented({ approved }: SessionState['plans']): SessionState['plans'] {
  return approved === undefined ? {} : { approved };
}

// One line an event: every member of the union decides here what it changes.
function changes(state: SessionState, event: LogEvent): Partial<SessionState> {
  switch (event.type) {
    case 'session/created': {
      const { id, cwd, additionalDirectories } = event;
      return { id, cwd, additionalDirectories };
    }
    case 'session/title':
      return { title: event.title };
    case 'mode/intent':
      return {
        pendingMode: event.mode === state.mode ? undefined : event.mode,
        approvedCall: undefined,
      };
    case 'mode/set':
      return {
        mode: event.mode,
        pendingMode: undefined,
        approvedCall: undefined,
        plans: event.mode === DEFAULT_MODE ? withoutPresented(state.plans) : state.plans,
      };
    case 'knob/set':
      return { knobs: { ...state.knobs, [event.id]: event.value } };
    case 'turn/start':
      return { turns: event.turn, open: openTurn(event.turn), lastStop: undefined };
    case 'turn/end':
      return { open: undefined, lastStop: event.stopReason };
    case 'user/message':
      return { messages: [...state.messages, { seq: event.seq, message: toUser(event.content) }] };
    case 'context/message':
      return {
        messages: [...state.messages, { seq: event.seq, message: toContext(event) }],
        ...(event.source === 'mode' ? { toldMode: state.mode } : {}),
      };
    case 'request/header':
      return { header: { seq: event.seq, value: event.header }, toldMode: state.mode };
    case 'step/start':
      return { open: within(state, { step: event.step, openCalls: [], images: [] }) };
    case 'assistant/message':
      return answered(state, event);
    case 'tool/call':
    case 'retry':
      return {};
    case 'ask':
      return asked(state, event);
    case 'answer':
      return replied(state, event);
    case 'tool/result':
      return resulted(state, event);
    case 'file/seen':
      return { filesSeen: { ...state.filesSeen, [event.path]: event.sha256 } };
    case 'todo/write':
      return { todos: event.entries };
    case 'step/end':
      return stepped(state, event.seq);
    case 'compaction':
      return {
        messages: [
          // It stands where the messages stood: the order by `seq` holds, and the next one takes it
          // in.
          { seq: event.throughSeq, message: toSummary(event.summary) },
          ...state.messages.filter(({ seq }) => seq > event.throughSeq),
        ],
        contextTokens: undefined,
        spent: spentWith(state, event.usage),
      };
  }
}

function spentWith({ spent, header }: SessionState, usage: Usage | undefined) {
  const model = header?.value.model ?? '';
  const sum = addUsage(spent[model], usage);
  return sum && usage ? { ...spent, [model]: sum } : spent;
}

function openTurn(turn: number): OpenTurn {
  return { turn, step: undefined, openCalls: [], openAsks: {}, images: [] };
}

function within(state: SessionState, change: Partial<OpenTurn>): OpenTurn | undefined {
  return state.open && { ...state.open, ...change };
}

function answered(
  state: SessionState,
  event: AssistantMessage & { seq: number },
): Partial<SessionState> {
  const message = toAssistant(event);
  // What was cut off and asked for again would stand there twice.
  const superseded = state.open?.partial;
  const before =
    superseded === undefined
      ? state.messages
      : state.messages.filter(({ seq }) => seq !== superseded);
  const partial = event.partial && message ? { partial: event.seq } : { partial: undefined };
  return {
    messages: message
      ? [
          ...before,
          { seq: event.seq, message, ...(event.reasoning ? { reasoning: event.reasoning } : {}) },
        ]
      : before,
    contextTokens: event.usage
      ? event.usage.inputTokens + event.usage.outputTokens
      : state.contextTokens,
    spent: spentWith(state, event.usage),
    open: within(state, { openCalls: event.calls.map((call) => call.callId), ...partial }),
  };
}

function asked(
  state: SessionState,
  event: Extract<LogEvent, { type: 'ask' }>,
): Partial<SessionState> {
  const open = within(state, { openAsks: { ...state.open?.openAsks, [event.askId]: event } });
  if (event.kind !== 'review') return { open };
  const presented = argumentOf(state, event.callId, 'plan');
  return { open, plans: { ...state.plans, ...(presented === undefined ? {} : { presented }) } };
}

function argumentOf(state: SessionState, callId: string, name: string): string | undefined {
  const calls = state.messages.flatMap(({ message }) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  );
  const call = calls.findLast(({ id }) => id === callId);
  const value: unknown = call && JSON.parse(call.function.arguments)[name];
  return typeof value === 'string' ? value : undefined;
}

// An approval is a pending flip from the moment it is logged: a crash cannot lose it.
function replied(state: SessionState, event: { askId: string } & Reply): Partial<SessionState> {
  const question: Question | undefined = state.open?.openAsks[event.askId];
  const { [event.askId]: _, ...openAsks } = state.open?.openAsks ?? {};
  const open = within(state, { openAsks });
  if (question?.kind === 'permission' && event.outcome === 'allow_always' && question.grant) {
    return { open, grants: [...state.grants, question.grant] };
  }
  if (question?.kind !== 'review' || event.outcome !== 'approve') return { open };
  const { presented } = state.plans;
  return {
    open,
    approvedCall: question.callId,
    pendingMode: DEFAULT_MODE,
    plans: presented === undefined ? state.plans : { approved: presented },
  };
}

function resulted(
  state: SessionState,
  event: Extract<LogEvent, { type: 'tool/result' }>,
): Partial<SessionState> {
  const images = toImages(event.content);
  const told = event.callId === state.approvedCall && !event.isError;
  return {
    messages: [...state.messages, { seq: event.seq, message: toToolResult(event) }],
    open: within(state, {
      openCalls: (state.open?.openCalls ?? []).filter((callId) => callId !== event.callId),
      images: [...(state.open?.images ?? []), ...images],
    }),
    ...(told ? { toldMode: DEFAULT_MODE } : {}),
  };
}

function stepped(state: SessionState, seq: number): Partial<SessionState> {
  const images = state.open?.images ?? [];
  const shown: SeenMessage[] =
    images.length > 0 ? [{ seq, message: { role: 'user', content: [...images] } }] : [];
  return {
    messages: [...state.messages, ...shown],
    open: within(state, { step: undefined, openCalls: [], images: [] }),
  };
}
