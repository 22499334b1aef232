import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { AGENT } from '../base/version.ts';
import type { Output } from './printer.ts';
import type { RunOptions } from './run.ts';

const EDITOR_HELP = `
In Zed, add this to settings.json:

  "agent_servers": {
    "Planfold": {
      "command": "npx",
      "args": ["-y", "planfold", "acp"],
      "env": { "OPENAI_API_KEY": "…" }
    }
  }

Other editors that speak the Agent Client Protocol start the same command, \`planfold acp\`.
The model: OPENAI_API_KEY, and if you like OPENAI_BASE_URL and PLANFOLD_MODEL.
\`planfold login\` stores a key where you would rather not set it.
No key yet? \`planfold demo\` shows the whole plan-mode arc from a recording.
`;

const write = (text: string) => void process.stdout.write(text);

/** The command line for people. Resolves with the exit code. */
export async function runProgram(args: string[]): Promise<number> {
  const program = new Command(AGENT.name)
    .description('A coding agent for editors that speak the Agent Client Protocol.')
    .version(AGENT.version)
    .addHelpText('after', EDITOR_HELP);
  program
    .command('acp')
    .description('Serve an editor on stdin and stdout (the default when stdin is no terminal).')
    .option('--replay <dir>', "answer with a recording's model traffic instead of a real model")
    .option('--record <dir>', 'write the model traffic to <dir>/model.jsonl as it passes')
    .option('--log-level <level>', 'silent, error or debug: what goes to stderr', 'silent');
  let exitCode = 0;
  program
    .command('demo')
    .description('Play the plan-mode arc from a packaged recording; needs no key.')
    .action(async () => {
      const { runDemo } = await import('./demo.ts');
      exitCode = await runDemo(write);
    });
  program
    .command('verify <session>')
    .description('Prove from a log alone that it is whole; takes an id or a file.')
    .action(async (session: string) => {
      const { runVerify } = await import('./sessions.ts');
      exitCode = runVerify(write, session);
    });
  addRun(program, (code) => {
    exitCode = code;
  });
  program
    .command('doctor')
    .description('Look at all that a session rests on, the model included, and say what to do.')
    .action(async () => {
      const { runDoctor } = await import('./doctor.ts');
      exitCode = await runDoctor(write);
    });
  program
    .command('login [provider]')
    .description('Store an API key, readable by you alone; asks for it, or reads it from stdin.')
    .action(async (provider?: string) => (await import('./login.ts')).runLogin(write, provider));
  program
    .command('logout [provider]')
    .description('Forget a stored API key, or all of them.')
    .action(async (provider?: string) => (await import('./login.ts')).runLogout(write, provider));
  addSessions(program);
  await program.parseAsync(args, { from: 'user' });
  return exitCode;
}

function addRun(program: Command, onExit: (code: number) => void): void {
  program
    .command('run [prompt...]')
    .description('One prompt from the command line; without words it is read from stdin.')
    .option('--mode <mode>', 'switch to a mode first, such as plan')
    .option('--model <model>', 'use another model, as provider/model')
    .option('--resume <id>', 'in a stored session')
    .option('--continue', 'in the last session of this directory')
    .option('--fork <id>', 'in a fork of a stored session')
    .addOption(new Option('--output <format>', 'what stdout gets').choices(OUTPUTS).default('text'))
    .option('--approve-plan', 'approve a plan without a review; the model is told so')
    .addHelpText('after', EXIT_CODES)
    .action(async (words: string[], options: RunOptions) => {
      const { runOnce } = await import('./run.ts');
      onExit(await runOnce(words, options));
    });
}

const OUTPUTS: readonly Output[] = ['text', 'json', 'jsonl'];

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 3 a plan waits for its review (it is printed, and --resume goes on),
4 stopped at a limit or refused, 130 cancelled.
`;

function addSessions(program: Command): void {
  const sessions = program.command('sessions').description('The stored sessions.');
  const load = () => import('./sessions.ts');
  sessions
    .command('list')
    .description('List them, newest first.')
    .option('--cwd <dir>', 'only those of this directory')
    .option('--limit <count>', 'how many at the most', '50')
    .action(async (options: { cwd?: string; limit: string }) => {
      const { readCount, runList } = await load();
      const cwd = options.cwd === undefined ? undefined : resolve(options.cwd);
      runList(write, { cwd, limit: readCount(options.limit) });
    });
  sessions
    .command('path <session>')
    .description('Show where the log of a session is.')
    .action(async (session: string) => write(`${(await load()).pathOf(session)}\n`));
  sessions
    .command('fork <session>')
    .description('Make a new session of the closed turns of another.')
    .action(async (session: string) => (await load()).runFork(write, session, false));
  sessions
    .command('salvage <session>')
    .description('Make a new session of the whole turns before a damage.')
    .action(async (session: string) => (await load()).runFork(write, session, true));
  sessions
    .command('rm <session>')
    .description('Remove a session and everything that belongs to it.')
    .action(async (session: string) => (await load()).runRemove(write, session));
}
