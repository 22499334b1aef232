import { type Command, Option } from 'commander';
import type { Caller } from '../caller.ts';
import { LEVELS } from '../console.ts';
import { EDITORS } from '../help.ts';

/** `acp`, as far as it has to be described: the entry point runs it without the command line. */
export function addAcp(program: Command): void {
  program
    .command('acp')
    .description('serve an editor on stdin and stdout (the default when stdin is no terminal)')
    .option('--replay <dir>', "answer with a recording's model traffic instead of a real model")
    .option('--record <dir>', 'make a recording of the session, for planfold replay')
    .addOption(
      new Option('--log-level <level>', 'what goes to stderr').choices(LEVELS).default('silent'),
    )
    .addHelpText('after', `\n${EDITORS}`);
}

/** `demo`. */
export function addDemo(program: Command, { write, exit }: Caller): void {
  program
    .command('demo')
    .description('play the whole plan-mode arc from a packaged recording; needs no key')
    .action(async () => {
      const { runDemo } = await import('../demo.ts');
      exit(await runDemo(write));
    });
}
