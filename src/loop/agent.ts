import type { Ids } from '../base/clock.ts';
import type { Question, Reply, StopReason } from '../log/events.ts';
import type { Turn } from '../log/log.ts';
import type { PromptSection } from '../log/request.ts';
import type { Delta } from '../model/types.ts';
import type { ToolLimits } from '../tools/limits.ts';
import type { Tool } from '../tools/tool.ts';
import type { Grounds } from '../tools/workspace.ts';
import type { KnobService } from './knobs.ts';

/** Limits of a session; each name ends in its unit. */
export interface Limits extends ToolLimits {
  /** Model requests that one turn may take. */
  stepsMax: number;
  /** How often a request is repeated that may go well another time. */
  retriesMax: number;
  /** Milliseconds before the first repetition; each further one waits twice as long. */
  retryDelayMs: number;
  /** Bytes of one prompt of the user. */
  messageBytesMax: number;
  /** Tokens of the context window that are used at the most, whatever the model has. */
  contextTokensMax: number;
  /** How full the window may get, in percent, before the conversation is summarised. */
  contextPercentMax: number;
}

/** How a turn ends when nothing failed: the stop reasons that ACP knows. */
export type TurnStop = Exclude<StopReason, 'failed' | 'interrupted'>;

/** Crossed between steps: the points where what is pending may land, and nowhere else. */
export type Boundary = (turn: Turn) => void;

/** A compaction that has begun or come to nothing. */
export interface CompactionStatus {
  compactionId: string;
  status: 'in_progress' | 'failed' | 'cancelled';
  error?: string;
}

/** The person's side of a session, as the loop sees it. */
export interface Client {
  /** Puts a question to the person. Resolves in every case; stops waiting when `signal` aborts. */
  ask: (question: Question, signal: AbortSignal) => Promise<Reply>;
  /** A piece of an answer. A promise asks the loop to wait until the client has caught up. */
  onDelta: (messageId: string, delta: Delta) => void | Promise<void>;
  /** How a compaction stands; its end is an event. */
  onCompaction: (status: CompactionStatus) => void;
  /** The output of a running call so far, as a whole. */
  onProgress: (callId: string, text: string) => void;
}

/** Everything a turn works with. One agent a session. */
export interface Agent {
  knobs: KnobService;
  /** The tools as of the last `settle`. */
  tools: () => readonly Tool[];
  /** Awaited before each step: tools that come from elsewhere are there, or have failed. */
  settle: () => Promise<void>;
  sections: readonly PromptSection[];
  boundaries: readonly Boundary[];
  grounds: Grounds;
  limits: Limits;
  client: Client;
  ids: Ids;
}
