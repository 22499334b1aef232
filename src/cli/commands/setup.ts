import { Argument, type Command, Option } from 'commander';
import type { Caller } from '../caller.ts';
import { type Shell, SHELLS, toCompletion } from '../completion.ts';
import { COMPLETION_HELP } from '../help.ts';

/** `doctor`. */
export function addDoctor(program: Command, { write, exit }: Caller): void {
  program
    .command('doctor')
    .description('look at all that a session rests on, the model included; say what to do')
    .action(async () => {
      const { runDoctor } = await import('../doctor.ts');
      exit(await runDoctor(write));
    });
}

/** `login` and `logout`. */
export function addKeys(program: Command, { write }: Caller): void {
  const load = () => import('../login.ts');
  program
    .command('login')
    .description('store an API key, readable by you alone; asks for it, or reads it from stdin')
    .argument('[provider]', 'default: the one that a session would use')
    .action(async (provider?: string) => (await load()).runLogin(write, provider));
  program
    .command('logout')
    .description('forget a stored API key')
    .argument('[provider]', 'default: all of them')
    .action(async (provider?: string) => (await load()).runLogout(write, provider));
}

/** `config`. */
export function addConfig(program: Command, { write }: Caller): void {
  program
    .command('config')
    .description('show what is configured, and where each value comes from')
    .addOption(new Option('--json', 'as JSON, with whole values').conflicts('schema'))
    .option('--schema', 'the JSON Schema of a configuration file, for editors')
    .action(async (options: { json?: boolean; schema?: boolean }) => {
      const { runConfig, runConfigSchema } = await import('../config.ts');
      if (options.schema) runConfigSchema(write);
      else runConfig(write, options);
    });
}

/** `completion`: for all commands of the program, those that are added later too. */
export function addCompletion(program: Command, { write }: Caller): void {
  program
    .command('completion')
    .description('print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText('after', `\n${COMPLETION_HELP}`)
    .action((shell: Shell) => write(toCompletion(program, shell)));
}
