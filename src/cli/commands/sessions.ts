import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Caller } from '../caller.ts';
import type { ShowOptions } from '../show/show.ts';

const load = () => import('../sessions.ts');

/** `verify`. */
export function addVerify(program: Command, { write, exit }: Caller): void {
  program
    .command('verify')
    .description('prove from a log alone that it is whole')
    .argument('<session>', 'an id, or a log file')
    .action(async (session: string) => exit((await load()).runVerify(write, session)));
}

/** `show`, below the program or below `sessions`. */
export function addShow(parent: Command, { write }: Caller): void {
  parent
    .command('show')
    .description('show a session as people read it')
    .argument('<session>', 'an id, or a log file')
    .option('--html <file>', 'write a page that needs nothing else; - is stdout')
    .action(async (session: string, options: ShowOptions) => {
      const { runShow } = await import('../show/show.ts');
      await runShow(write, session, options);
    });
}

/** `sessions` with its commands. */
export function addSessions(program: Command, caller: Caller): void {
  const { write } = caller;
  const sessions = program
    .command('sessions')
    .description('list and manage the stored sessions')
    .helpCommand(false);
  sessions
    .command('list')
    .description('list them, newest first')
    .option('--cwd <dir>', 'only those of this directory')
    .option('--limit <count>', 'how many at the most', '50')
    .action(async (options: { cwd?: string; limit: string }) => {
      const { readCount, runList } = await load();
      const cwd = options.cwd === undefined ? undefined : resolve(options.cwd);
      runList(write, { cwd, limit: readCount(options.limit) });
    });
  addShow(sessions, caller);
  sessions
    .command('path <session>')
    .description('show where the log of a session is')
    .action(async (session: string) => write(`${(await load()).pathOf(session)}\n`));
  sessions
    .command('fork <session>')
    .description('make a new session of the closed turns of another')
    .action(async (session: string) => (await load()).runFork(write, session, false));
  sessions
    .command('salvage <session>')
    .description('make a new session of the whole turns before a damage')
    .action(async (session: string) => (await load()).runFork(write, session, true));
  sessions
    .command('rm <session>')
    .description('remove a session and everything that belongs to it')
    .action(async (session: string) => (await load()).runRemove(write, session));
}
