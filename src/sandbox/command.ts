import type { Confinement } from './policy.ts';

/** A command to run, as argument list; no shell is involved unless it is the first word. */
export interface Command {
  argv: readonly [string, ...string[]];
  /** Absolute working directory. */
  cwd: string;
  signal: AbortSignal;
  timeoutMs: number;
  /** What the command is confined to. It does not start where that cannot be done. */
  confinement?: Confinement | undefined;
  /** Called with each piece of output as it comes, stdout and stderr in one order of arrival. */
  onOutput: (bytes: Uint8Array) => void;
}

/** How a command ended. The parts are independent: a command can time out and exit with 0. */
export interface CommandResult {
  exitCode: number | undefined;
  /** The name of the signal that ended it, such as `SIGKILL`. */
  signal: string | undefined;
  timedOut: boolean;
  cancelled: boolean;
  /** Set when the command could not be started at all: the reason, for a person. */
  startError?: string | undefined;
}

/**
 * Runs a command in a process group of its own. When it resolves, nothing of the group is left:
 * on exit, on time-out and on abort the whole group is ended. Never rejects.
 */
export type RunCommand = (command: Command) => Promise<CommandResult>;
