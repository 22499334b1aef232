import type { JsonObject } from '../../base/json.ts';
import type {
  PromptBlock,
  Question,
  Reply,
  ResultBlock,
  SessionCreated,
  StopReason,
  TodoEntry,
} from '../../log/events.ts';
import type { Finish, Usage } from '../../model/types.ts';

/** What came back from a call, and when. */
export interface CallResult {
  content: readonly ResultBlock[];
  isError: boolean;
  time: string;
}

/** What happened to a call of the model: each part is missing until the log has it. */
export interface CallCourse {
  callId: string;
  /** What a person was asked about it. */
  question?: Question;
  reply?: Reply;
  /** When it began to run. */
  startedAt?: string;
  result?: CallResult;
}

/** A call of a tool, with how its card showed it. */
export interface CallPart extends CallCourse {
  kind: 'call';
  name: string;
  title: string;
  /** What the card showed beside its title, such as the whole of a long command. */
  shown: string | undefined;
  /** What the model gave: an object, or its own text where that did not fit. */
  input: unknown;
}

/** A plan that was presented, with the review and what came of it. */
export interface PlanPart extends CallCourse {
  kind: 'plan';
  title: string;
  /** Markdown. */
  plan: string;
}

/** What changed in what a request carries besides its messages, by the names of the parts. */
export interface HeaderPart {
  kind: 'header';
  reason: 'initial' | 'changed';
  model: string;
  settings: JsonObject;
  added: string[];
  removed: string[];
  changed: string[];
}

/** One thing of a session as people read it. */
export type Part =
  | { kind: 'turn'; turn: number }
  | { kind: 'turnEnd'; turn: number; stopReason: StopReason; error: string | undefined }
  | { kind: 'mode'; from: string }
  | { kind: 'intent'; to: string }
  | { kind: 'knob'; id: string; value: string }
  | { kind: 'user'; content: readonly PromptBlock[] }
  | { kind: 'context'; text: string }
  | HeaderPart
  | { kind: 'thought'; text: string }
  | { kind: 'answer'; text: string; finish: Finish; partial: boolean }
  | CallPart
  | PlanPart
  | { kind: 'todo'; entries: readonly TodoEntry[] }
  | { kind: 'retry'; attempt: number; reason: string; delayMs: number }
  | { kind: 'compaction'; summary: string };

/** A part with its place: the event it comes from, and the mode in force there. */
export type Entry = Part & { seq: number; time: string; mode: string };

/** What one request to the model used. */
export interface RequestUse {
  turn: number;
  mode: string;
  model: string;
  usage: Usage;
  /** It summarised the conversation. */
  compaction: boolean;
}

/** A whole session as people read it. */
export interface Timeline {
  session: SessionCreated;
  startedAt: string;
  endedAt: string;
  title: string | undefined;
  turns: number;
  /** The turn that has no end: it goes on, or its process died. */
  openTurn: number | undefined;
  /** In the order of the log; what came of a call stands with the call. */
  entries: readonly Entry[];
  requests: readonly RequestUse[];
}
