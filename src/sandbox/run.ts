import { statSync } from 'node:fs';
import { codeOf, messageOf } from '../base/errors.ts';
import type { Command, CommandResult, RunCommand } from './command.ts';
import { endGroup, signalGroup, watchGroup } from './group.ts';
import type { FoundSandbox } from './policy.ts';

/** What a command gets between the polite and the hard end, in milliseconds. */
const KILL_AFTER_MS = 500;

/** How long output may still arrive once the command is gone, in milliseconds. */
const DRAIN_MS = 200;

/** The longest delay that `setTimeout` knows; a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

const NOT_RUN: CommandResult = {
  exitCode: undefined,
  signal: undefined,
  timedOut: false,
  cancelled: false,
};

/** What commands are run with. */
export interface RunOptions {
  /** The whole environment of a command. */
  env: NodeJS.ProcessEnv;
  /** The sandbox for commands that are to be confined. */
  sandbox?: () => Promise<FoundSandbox>;
}

/**
 * Runs commands, without stdin. See `RunCommand` for what holds when a command has ended. Outside a
 * sandbox, a process that leaves the group (`setsid`) is out of reach, yet it cannot hold the call
 * open.
 */
export function createRunCommand(options: RunOptions): RunCommand {
  return async (command) => {
    try {
      const { argv, release } = await confine(command, options);
      return await run({ ...command, argv }, options.env).finally(release);
    } catch (error) {
      return { ...NOT_RUN, startError: inWords(error, command) };
    }
  };
}

class NoSandbox extends Error {}

async function confine({ argv, confinement }: Command, { sandbox }: RunOptions) {
  if (!confinement) return { argv, release() {} };
  const found = (await sandbox?.()) ?? { problem: 'none was set up.' };
  if ('problem' in found) throw new NoSandbox(`There is no sandbox to run it in: ${found.problem}`);
  return found.sandbox.wrap(argv, confinement);
}

async function run(command: Command, env: NodeJS.ProcessEnv): Promise<CommandResult> {
  // Loaded on first use: a session that runs no command does not pay for it at the start.
  const { execa } = await import('execa');
  if (command.signal.aborted) return { ...NOT_RUN, cancelled: true };
  const [file, ...args] = command.argv;
  const child = execa(file, args, {
    cwd: command.cwd,
    env,
    extendEnv: false,
    detached: true,
    cleanup: false,
    stdin: 'ignore',
    buffer: false,
    reject: false,
  });
  const { pid, stdout, stderr } = child;
  if (pid === undefined) return { ...NOT_RUN, startError: inWords(await child, command) };

  watchGroup(pid);
  stdout.on('data', command.onOutput);
  stderr.on('data', command.onOutput);
  const ending = watchForEnd(command, pid);
  child.once('exit', () => {
    ending.stop();
    endGroup(pid);
    // Ends the pipes for whoever left the group and still holds them.
    const drain = setTimeout(() => {
      stdout.destroy();
      stderr.destroy();
    }, DRAIN_MS);
    child.once('close', () => clearTimeout(drain));
  });
  const { exitCode, signal } = await child;
  return { exitCode, signal, timedOut: ending.timedOut, cancelled: ending.cancelled };
}

// Time-out and abort end the group in the same two steps, and each says that it did.
function watchForEnd({ signal, timeoutMs }: Command, pid: number) {
  let kill: NodeJS.Timeout | undefined;
  const end = () => {
    signalGroup(pid, 'SIGTERM');
    kill ??= setTimeout(() => signalGroup(pid, 'SIGKILL'), KILL_AFTER_MS);
  };
  const onTimeout = () => {
    ending.timedOut = true;
    end();
  };
  const onAbort = () => {
    ending.cancelled = true;
    end();
  };
  const timeout = setTimeout(onTimeout, Math.min(timeoutMs, TIMER_MS_MAX));
  signal.addEventListener('abort', onAbort, { once: true });
  const ending = {
    timedOut: false,
    cancelled: false,
    stop() {
      clearTimeout(timeout);
      clearTimeout(kill);
      signal.removeEventListener('abort', onAbort);
    },
  };
  return ending;
}

// What the commonest failures mean, by the system's code.
const WORDS: Readonly<Record<string, (file: string) => string>> = {
  ENOENT: (file) =>
    `\`${file}\`, or the interpreter it names, was not found. Is it installed and on PATH?`,
  EACCES: (file) => `\`${file}\` may not be executed (EACCES).`,
  E2BIG: () =>
    'The command line is longer than the system allows (E2BIG). Put the data into a file instead.',
};

function inWords(failure: unknown, { argv: [file], cwd }: Command): string {
  if (failure instanceof NoSandbox) return failure.message;
  if (!isDirectory(cwd)) return `The working directory ${cwd} is not a directory that exists.`;
  const words = WORDS[codeOf(failure) ?? ''];
  if (words) return words(file);
  // Execa puts the whole command line before the system's own words; the model knows its command.
  const cause = failure instanceof Error ? (failure.cause ?? failure) : failure;
  return `\`${file}\` could not be started: ${messageOf(cause)}`;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
