import * as z from 'zod';
import type { CommandResult } from '../sandbox/command.ts';
import type { Confinement } from '../sandbox/policy.ts';
import { createOutputCollector } from './output.ts';
import { titleOf } from './title.ts';
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from './tool.ts';

/** The longest that one command may ask for, in milliseconds. */
const TIMEOUT_MS_MAX = 10 * 60 * 1000;

/** The least time between two looks at the output of a running command, in milliseconds. */
const PROGRESS_MS = 100;

const input = () =>
  z.strictObject({
    command: z
      .string()
      .refine((command) => command.trim() !== '', 'must not be blank')
      .refine(
        (command) => !command.includes('\0'),
        'must not hold a NUL character, which no shell can be given; write it as the escape `\\0`',
      )
      .describe('What to run, as one would type it; several lines are fine.'),
    timeout_ms: z
      .int()
      .min(1)
      .max(TIMEOUT_MS_MAX)
      .optional()
      .describe('Milliseconds after which the command is ended, for one that may take long.'),
    description: z.string().optional().describe('What the command is for, in a few words.'),
    outside_sandbox: z
      .boolean()
      .optional()
      .describe(
        'Ask the user to let it run outside the sandbox. Only where it cannot work inside.',
      ),
  });

type Input = z.output<ReturnType<typeof input>>;

/** Runs a command in the user's shell; `shell` is its absolute path. */
export function createBashTool({ shell }: { shell: string }): Tool {
  return defineTool({
    name: 'bash',
    description:
      'Run a command in the shell of the user, in the working directory, and get its output, ' +
      'stdout and stderr together. Each call starts afresh: no directory, variable, job or ' +
      'temporary file is kept. There is no stdin, so nothing can be answered interactively. ' +
      'Processes left in the background end with the command. Of a long output you get the ' +
      'beginning and the end, and the name of the file that holds all of it.',
    input,
    effects: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    command: ({ command, outside_sandbox: escalated = false }) => ({ line: command, escalated }),
    card: ({ command }) => ({
      title: commandTitle(command),
      kind: 'execute',
      // A person who is asked for permission must see all of what will run.
      ...(titleOf(command) === command ? {} : { content: [{ type: 'text', text: command }] }),
    }),
    run: (call, context) => runShell(shell, call, context),
  });
}

async function runShell(shell: string, call: Input, context: ToolContext): Promise<ToolOutcome> {
  const { callId, signal, workspace } = context;
  const timeoutMs = call.timeout_ms ?? workspace.limits.shellTimeoutMs;
  const output = createOutputCollector({
    bytesMax: workspace.limits.toolOutputBytesMax,
    spillDirectory: workspace.spillDirectory,
    callId,
  });
  let look: NodeJS.Timeout | undefined;
  const result = await workspace.runCommand({
    argv: [shell, '-c', call.command],
    cwd: workspace.cwd,
    signal,
    timeoutMs,
    confinement: workspace.confinement,
    onOutput(bytes) {
      output.add(bytes);
      look ??= setTimeout(() => {
        look = undefined;
        context.progress(output.text());
      }, PROGRESS_MS);
    },
  });
  clearTimeout(look);
  output.close();
  const ending = endingOf(result, { timeoutMs, confinement: workspace.confinement });
  const text = withEnding(output.text(), ending);
  return { content: [{ type: 'text', text }], isError: ending !== undefined };
}

// A command can time out and still exit with 0, so each part is told by itself.
function endingOf(
  result: CommandResult,
  { timeoutMs, confinement }: { timeoutMs: number; confinement: Confinement | undefined },
): string | undefined {
  const parts = [
    result.startError === undefined ? '' : `could not be started: ${result.startError}`,
    result.timedOut ? `timed out after ${timeoutMs} ms` : '',
    result.cancelled ? 'cancelled by the user' : '',
    result.signal === undefined ? '' : `ended by ${result.signal}`,
    result.exitCode === undefined || result.exitCode === 0 ? '' : `exit code ${result.exitCode}`,
  ].filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  return `[${[...parts, ...describeConfinement(confinement)].join('; ')}]`;
}

// Told where it may be the reason: a command cannot see what keeps it from something.
function describeConfinement(confinement: Confinement | undefined): string[] {
  if (!confinement) return [];
  const { mode, network } = confinement;
  return [`it ran in the sandbox: ${mode}${network ? '' : ', no network'}`];
}

function withEnding(output: string, ending: string | undefined): string {
  if (ending === undefined) return output === '' ? '(no output)' : output;
  return `${output}${output === '' || output.endsWith('\n') ? '' : '\n'}${ending}`;
}

// Fenced, so that no editor takes what is in the command for markup.
function commandTitle(command: string): string {
  const text = titleOf(command);
  if (!text.includes('`')) return `\`${text}\``;
  const longest = Math.max(...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${text} ${fence}`;
}
