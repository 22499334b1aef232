import type { Header, ModelMessage, Usage, UserPart } from '../model/types.ts';
import type { Grant, Question, StopReason, TodoEntry } from './events.ts';

/** The name of the mode in force when nothing was ever set: the absence of policy. */
export const DEFAULT_MODE = 'default';

/** The turn that is open, with what is needed to close it after a crash. */
export interface OpenTurn {
  turn: number;
  step: number | undefined;
  /** Calls of the last answer that have no result yet, in the model's order. */
  openCalls: readonly string[];
  /** Questions that no answer came back for. */
  openAsks: Readonly<Record<string, Question>>;
  /** The part of a cut answer, which the next answer of this step takes the place of. */
  partial?: number | undefined;
  /** Images of this step's results: chat completions take them in a user message after the step. */
  images: readonly UserPart[];
}

/** A message the model sees and the event it comes from. */
export interface SeenMessage {
  seq: number;
  message: ModelMessage;
  /** The thoughts of an answer, for providers that want them back. */
  reasoning?: string | undefined;
}

/**
 * Everything a running session knows of its log, folded one event at a time. Its size is that of
 * the conversation the model still sees, never that of the log.
 */
export interface SessionState {
  seq: number;
  id: string;
  cwd: string;
  additionalDirectories: readonly string[];
  title: string | undefined;
  /** The mode in force: the last `mode/set`. */
  mode: string;
  /** What the next boundary will put in force by the log alone: an idle flip or an approval. */
  pendingMode: string | undefined;
  /** The call whose plan was approved, until the flip it asked for has landed. */
  approvedCall: string | undefined;
  /** The mode the model was last told of: by a header, a notice, or the result of its exit. */
  toldMode: string | undefined;
  /** The last value of each knob that was set; a running session applies it at a boundary. */
  knobs: Readonly<Record<string, string>>;
  /** What a person allowed for the session. */
  grants: readonly Grant[];
  header: { seq: number; value: Header } | undefined;
  /** The conversation in the order in which the model sees it, without the system message. */
  messages: readonly SeenMessage[];
  todos: readonly TodoEntry[];
  /** The plan that was last put before a person, and the one that was last approved; markdown. */
  plans: { presented?: string; approved?: string };
  /**
   * Tokens of the last request and its answer; undefined where none was counted since a compaction.
   */
  contextTokens: number | undefined;
  /** All tokens of the session so far, by the model's name; those of compactions too. */
  spent: Readonly<Record<string, Usage>>;
  /** Digest of each file as the model last saw it, by absolute path. */
  filesSeen: Readonly<Record<string, string>>;
  turns: number;
  open: OpenTurn | undefined;
  lastStop: StopReason | undefined;
}

/** The state before line 1. */
export const EMPTY_STATE: SessionState = {
  seq: 0,
  id: '',
  cwd: '',
  additionalDirectories: [],
  title: undefined,
  mode: DEFAULT_MODE,
  pendingMode: undefined,
  approvedCall: undefined,
  toldMode: undefined,
  knobs: {},
  grants: [],
  header: undefined,
  messages: [],
  todos: [],
  plans: {},
  contextTokens: undefined,
  spent: {},
  filesSeen: {},
  turns: 0,
  open: undefined,
  lastStop: undefined,
};
