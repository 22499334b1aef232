import type { AvailableCommand } from '@agentclientprotocol/sdk/unstable';
import { InputError } from '../base/errors.ts';
import type { PromptBlock } from '../log/events.ts';
import { expandPrompt, type PromptFile } from '../config/prompt_files.ts';
import { PLAN_MODE } from '../modes/definitions.ts';
import type { Session } from '../session/session.ts';
import { describeStatus } from './status.ts';

const COMMANDS: AvailableCommand[] = [
  {
    name: 'mode',
    description: 'Show the current mode, or switch to another.',
    input: { hint: 'mode name' },
  },
  {
    name: 'plan',
    description: 'Switch to plan mode, and go on with a message if there is one.',
    input: { hint: 'message' },
  },
  {
    name: 'compact',
    description: 'Replace the conversation so far by a summary, to make room for more.',
  },
  {
    name: 'status',
    description: 'Show the mode, the options, what you allowed, and where the log is.',
  },
  { name: 'help', description: 'Show what can be typed here.' },
];

/** The commands that a prompt may start with: our own, then the project's. */
export function toCommands(files: readonly PromptFile[]): AvailableCommand[] {
  const own = new Set(COMMANDS.map(({ name }) => name));
  const more = files.filter(({ name }) => !own.has(name));
  return [
    ...COMMANDS,
    ...more.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint === undefined ? {} : { input: { hint } }),
    })),
  ];
}

/** What a command may do to its session. */
export interface CommandPorts {
  session: Session;
  /** Prompts that the project keeps in files. */
  files: readonly PromptFile[];
  setMode: (modeId: string) => void;
  /** Answers the person; the model never hears of it. */
  say: (text: string) => void;
}

/** Whether the prompt was dealt with here, is to compact, or what of it goes to the model. */
export type CommandOutcome =
  { kind: 'done' } | { kind: 'compact' } | { kind: 'prompt'; content: PromptBlock[] };

/** Runs the command that the prompt starts with; a prompt without one is left as it is. */
export function runCommandLine(content: PromptBlock[], ports: CommandPorts): CommandOutcome {
  const [first, ...rest] = content;
  const line = first?.type === 'text' ? /^\/([\w-]+)(?:\s+([^]*))?$/.exec(first.text.trim()) : null;
  const argument = line?.[2]?.trim() ?? '';
  switch (line?.[1]) {
    case 'mode':
      runMode(argument, ports);
      return { kind: 'done' };
    case 'compact':
      return { kind: 'compact' };
    case 'status':
      ports.say(describeStatus(ports.session));
      return { kind: 'done' };
    case 'help':
      ports.say(describeCommands(toCommands(ports.files)));
      return { kind: 'done' };
    case 'plan': {
      ports.setMode(PLAN_MODE);
      const message: PromptBlock[] = argument === '' ? [] : [{ type: 'text', text: argument }];
      if (message.length + rest.length > 0)
        return { kind: 'prompt', content: [...message, ...rest] };
      ports.say('Plan mode is on.');
      return { kind: 'done' };
    }
    default: {
      const file = ports.files.find(({ name }) => name === line?.[1]);
      if (!file) return { kind: 'prompt', content };
      return {
        kind: 'prompt',
        content: [{ type: 'text', text: expandPrompt(file, argument) }, ...rest],
      };
    }
  }
}

function describeCommands(commands: readonly AvailableCommand[]): string {
  const lines = commands.map(({ name, description, input }) => {
    const hint = input ? ` [${input.hint}]` : '';
    return `- \`/${name}${hint}\`: ${description}`;
  });
  return lines.join('\n');
}

function runMode(name: string, { session: { modes }, setMode, say }: CommandPorts): void {
  if (name === '') {
    const { mode, pending } = modes.get();
    const known = modes.list().map(({ id }) => `\`${id}\``);
    say(`Current mode: \`${pending ?? mode}\`. Available: ${known.join(', ')}.`);
    return;
  }
  try {
    setMode(name);
    say(`Switched to \`${name}\` mode.`);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    say(error.message);
  }
}
