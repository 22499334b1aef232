import { Command } from 'commander';
import { AGENT } from '../base/version.ts';
import type { Caller } from './caller.ts';
import { addAcp, addDemo } from './commands/agent.ts';
import { addReplay } from './commands/replay.ts';
import { addRun } from './commands/run.ts';
import { addSessions, addShow, addVerify } from './commands/sessions.ts';
import { addCompletion, addConfig, addDoctor, addKeys } from './commands/setup.ts';
import { HELP } from './help.ts';

/**
 * The command line for people, as a tree that can be walked: what a command needs is loaded when it
 * is run. An argument `<session>` or a value `<id>` is the id of a stored session, `<dir>` and
 * `<file>` are paths.
 */
export function createProgram(caller: Caller): Command {
  const program = new Command(AGENT.name)
    .description('A coding agent for editors that speak the Agent Client Protocol.')
    .version(AGENT.version)
    .showHelpAfterError('`--help` behind a command says what it takes.')
    .addHelpText('after', `\n${HELP}`);
  program.commandsGroup('Work:');
  addAcp(program);
  addRun(program, caller);
  program.commandsGroup('Look back:');
  addShow(program, caller);
  addSessions(program, caller);
  addVerify(program, caller);
  addReplay(program, caller);
  program.commandsGroup('Set up:');
  addDemo(program, caller);
  addDoctor(program, caller);
  addConfig(program, caller);
  addKeys(program, caller);
  addCompletion(program, caller);
  program.helpCommand('help [command]', 'say more about a command');
  return program;
}

/** Runs the command line. Resolves with the exit code. */
export async function runProgram(args: string[]): Promise<number> {
  let exitCode = 0;
  const program = createProgram({
    write: (text) => void process.stdout.write(text),
    exit: (code) => {
      exitCode = code;
    },
  });
  // Whoever reads may have seen enough, as `head` has: that is no failure.
  process.stdout.on('error', () => {});
  await program.parseAsync(args, { from: 'user' });
  return exitCode;
}
