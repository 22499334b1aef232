import { type Command, Option } from 'commander';
import type { Caller } from '../caller.ts';
import type { ReplayOptions } from '../replay_all.ts';
import type { ReporterName } from '../reporter.ts';

const REPORTERS: readonly ReporterName[] = ['text', 'junit'];

const HELP = `
\`planfold acp --record <dir>\` and \`planfold run --record <dir>\` make recordings.
Exit codes: 0 all are the same, 1 one differs or cannot be played.
`;

/** `replay`. */
export function addReplay(program: Command, { write, exit }: Caller): void {
  program
    .command('replay')
    .description('play recordings, and say where they differ from what was recorded')
    .argument('<dir...>', 'recordings, or folders of recordings')
    .addOption(new Option('--reporter <name>', 'how').choices(REPORTERS).default('text'))
    .option('--update', 'take over what differs: the requests and the goldens are written anew')
    .addHelpText('after', HELP)
    .action(async (paths: string[], options: ReplayOptions) => {
      const { runReplay } = await import('../replay_all.ts');
      exit(await runReplay(write, paths, options));
    });
}
