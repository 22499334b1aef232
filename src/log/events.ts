import type { JsonObject } from '../base/json.ts';
import type { Finish, Header, ModelCall, Usage } from '../model/types.ts';
import type { SandboxMode } from '../sandbox/policy.ts';

/** The version of the log format, written as `v` in `session/created`. */
export const LOG_VERSION = 1;

/** A block of a user's prompt, in ACP's words. */
export type PromptBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; mimeType: string; data: string }
  | { type: 'resource_link'; uri: string; name: string }
  | { type: 'resource'; resource: { uri: string; text: string; mimeType?: string | undefined } };

/** A block of a tool's result. The model reads `text` and `image`; `diff` is for the editor. */
export type ResultBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; mimeType: string; data: string }
  | { type: 'diff'; path: string; oldText: string | null; newText: string };

/** One entry of the todo list, in the words of ACP's `plan` update. */
export interface TodoEntry {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
  priority: 'high' | 'medium' | 'low';
}

/** One question of `ask_user_question`. */
export interface UserQuestion {
  question: string;
  header?: string | undefined;
  options?: { label: string; description?: string | undefined }[] | undefined;
  multi_select?: boolean | undefined;
}

/**
 * What a person allows for the rest of a session: one tool on exactly these files, or one command.
 * It never says more than that, whatever else a later call does.
 */
export interface Grant {
  tool: string;
  /** Absolute, with symbolic links resolved. */
  paths?: string[] | undefined;
  /** The words it begins with, and whether more may follow; `sandbox` is the widest reach. */
  command?: { argv: string[]; open: boolean; sandbox: SandboxMode } | undefined;
}

/**
 * What is asked of a person. `callId` names the tool call that it belongs to; `outside` what it
 * touches outside the workspace, `escalated` says that it leaves the sandbox, `grant` is what an
 * answer for the whole session allows.
 */
export type Question =
  | { kind: 'review'; callId: string; title: string }
  | { kind: 'question'; callId: string; questions: UserQuestion[] }
  | {
      kind: 'permission';
      callId: string;
      outside: string[];
      escalated?: true | undefined;
      grant?: Grant | undefined;
    };

/**
 * What came back. `answered` belongs to questions, `approve` and `keep_planning` to reviews,
 * `allow_once`, `allow_always` (for the session) and `reject_once` to permissions; the rest can
 * come back from any of them:
 * `decline` and `cancel` are a person's, `cancelled` is the turn's, `failed` is the client's
 * (an error, an answer that does not fit, or gone), with the `reason`.
 */
export type Reply =
  | {
      outcome: 'approve' | 'keep_planning' | 'reject_once';
      feedback?: string | undefined;
      /** Approved by a flag of the command line: nobody has read the plan. */
      unreviewed?: true | undefined;
    }
  | { outcome: 'answered'; answers: string[][] }
  | { outcome: 'allow_once' | 'allow_always' | 'decline' | 'cancel' | 'cancelled' }
  | { outcome: 'failed'; reason: string };

/** Why a turn ended. */
export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'max_turn_requests'
  | 'refusal'
  | 'cancelled'
  | 'failed'
  | 'interrupted';

/** Line 1 of every log. */
export interface SessionCreated {
  type: 'session/created';
  v: number;
  id: string;
  cwd: string;
  additionalDirectories: string[];
  agent: { name: string; version: string };
  parent?: { id: string; seq: number } | undefined;
}

/** Facts that may stand anywhere after line 1, inside a turn or outside. */
export type AnywhereEvent =
  | { type: 'session/title'; title: string; source: 'auto' | 'user' }
  | { type: 'knob/set'; id: string; value: string };

/** Facts that stand between turns. */
export type IdleEvent = { type: 'mode/intent'; mode: string } | AnywhereEvent;

/** Facts that only an open turn can append. */
export type TurnEvent =
  | { type: 'mode/set'; mode: string }
  | { type: 'user/message'; messageId: string; content: PromptBlock[] }
  | { type: 'context/message'; source: string; text: string }
  | { type: 'request/header'; reason: 'initial' | 'changed'; header: Header }
  | { type: 'step/start'; step: number; headerSeq: number; sha256: string }
  | AssistantMessage
  | { type: 'tool/call'; callId: string; name: string; input: JsonObject }
  | ({ type: 'ask'; askId: string } & Question)
  | ({ type: 'answer'; askId: string } & Reply)
  | { type: 'tool/result'; callId: string; content: ResultBlock[]; isError: boolean }
  | { type: 'file/seen'; path: string; sha256: string }
  | { type: 'todo/write'; entries: TodoEntry[] }
  | { type: 'step/end'; step: number }
  | { type: 'retry'; attempt: number; reason: string; delayMs: number }
  | {
      type: 'compaction';
      compactionId: string;
      summary: string;
      throughSeq: number;
      /** The state right before this event, but for the messages: a resume starts from it. */
      state: JsonObject;
      usage?: Usage | undefined;
    }
  | AnywhereEvent;

/** One answer of the model; `partial` when it was cut off and the rest never came. */
export interface AssistantMessage {
  type: 'assistant/message';
  messageId: string;
  text: string;
  reasoning?: string | undefined;
  calls: ModelCall[];
  finish: Finish;
  usage?: Usage | undefined;
  partial?: true | undefined;
}

/** The two brackets of a turn. Only the log itself writes them. */
export type TurnBracket =
  | { type: 'turn/start'; turn: number }
  | { type: 'turn/end'; turn: number; stopReason: StopReason; error?: string | undefined };

/** Every fact a log can hold, before it is numbered and timed. */
export type Fact = SessionCreated | IdleEvent | TurnEvent | TurnBracket;

/** A line of the log: `seq` counts from 1 without gaps, `time` is ISO 8601 in UTC. */
export type LogEvent = { seq: number; time: string } & Fact;

/** The name of an event. */
export type EventType = LogEvent['type'];
