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
      return { mode: event.mode, pendingMode: undefined, approvedCall: undefined };
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
      return {
        open: within(state, { openAsks: { ...state.open?.openAsks, [event.askId]: event } }),
      };
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
          { seq: event.seq, message: toSummary(event.summary) },
          ...state.messages.filter(({ seq }) => seq > event.throughSeq),
        ],
      };
  }
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
  return {
    messages: message ? [...state.messages, { seq: event.seq, message }] : state.messages,
    open: within(state, { openCalls: event.calls.map((call) => call.callId) }),
  };
}

// An approval is a pending flip from the moment it is logged: a crash cannot lose it.
function replied(state: SessionState, event: { askId: string } & Reply): Partial<SessionState> {
  const asked: Question | undefined = state.open?.openAsks[event.askId];
  const { [event.askId]: _, ...openAsks } = state.open?.openAsks ?? {};
  const open = within(state, { openAsks });
  if (asked?.kind !== 'review' || event.outcome !== 'approve') return { open };
  return { open, approvedCall: asked.callId, pendingMode: DEFAULT_MODE };
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
