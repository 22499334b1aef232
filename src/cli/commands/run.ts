import { type Command, Option } from 'commander';
import type { Caller } from '../caller.ts';
import { RUN_HELP } from '../help.ts';
import type { Output } from '../printer.ts';
import type { RunOptions } from '../run.ts';

const OUTPUTS: readonly Output[] = ['text', 'json', 'jsonl'];

/** `run`. */
export function addRun(program: Command, { exit }: Caller): void {
  program
    .command('run')
    .description('one prompt from the command line; without words it is read from stdin')
    .argument('[prompt...]', 'what to do; what is piped in is added behind it')
    .option('--mode <mode>', 'switch to a mode first, such as plan')
    .option('--model <model>', 'use another model, as provider/model')
    .option('--resume <id>', 'go on in a stored session')
    .option('--continue', 'go on in the last session of this directory')
    .option('--fork <id>', 'go on in a fork of a stored session')
    .addOption(new Option('--output <format>', 'what stdout gets').choices(OUTPUTS).default('text'))
    .option('--approve-plan', 'approve a plan without a review; the model is told so')
    .option('--record <dir>', 'make a recording of it, for planfold replay')
    .addHelpText('after', `\n${RUN_HELP}`)
    .action(async (words: string[], options: RunOptions) => {
      const { runOnce } = await import('../run.ts');
      exit(await runOnce(words, options));
    });
}
