import { readFileSync } from 'node:fs';
import { InputError, messageOf, UserError } from '../base/errors.ts';
import { loadConfig } from '../config/load.ts';
import { resolveModes } from '../modes/definitions.ts';
import { endAllGroups } from '../sandbox/group.ts';
import { listSessions } from '../session/library.ts';
import { createMachine, type Machine } from '../session/machine.ts';
import { openSession, type Source } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import { EXIT } from './exit_codes.ts';
import { createPerson, type Person } from './person.ts';
import { createPrinter, type Output, type Printer } from './printer.ts';
import { createProgress } from './progress.ts';
import { createScreen, type Screen } from './screen.ts';
import { isPersonThere } from './terminal.ts';

/** What `planfold run` was asked for. */
export interface RunOptions {
  mode?: string;
  model?: string;
  resume?: string;
  continue?: boolean;
  fork?: string;
  output: Output;
  approvePlan?: boolean;
}

/**
 * One prompt in a session, new or stored. In a terminal a plan is reviewed, a call permitted and a
 * question answered right there; elsewhere nobody can be asked. Resolves with the exit code.
 */
export async function runOnce(words: readonly string[], options: RunOptions): Promise<number> {
  const text = readPrompt(words);
  const interrupt = watchInterrupt();
  const seat = await open(createMachine(process.env), options, interrupt.onInterrupt);
  const { session, printer, person, screen } = seat;
  interrupt.cancels(session);
  // When nobody reads the answer any more, nothing more is done for it.
  process.stdout.on('error', () => void session.cancel());
  try {
    if (options.mode !== undefined) session.modes.set(options.mode);
    if (options.model !== undefined) session.knobs.set('model', options.model);
    const { stopReason, usage } = await session.prompt([{ type: 'text', text }]);
    const plan = person.planWaits() ? session.state.plans.presented : undefined;
    screen.show(undefined);
    printer.end({ sessionId: session.id, stopReason, usage, plan });
    if (person.planWaits()) return EXIT.planWaits;
    if (stopReason === 'cancelled') return EXIT.cancelled;
    return stopReason === 'end_turn' ? EXIT.done : EXIT.unfinished;
  } catch (error) {
    screen.show(undefined);
    printer.fail(session.id, messageOf(error));
    return EXIT.failed;
  } finally {
    await session.close();
    interrupt.leave();
  }
}

/** A session, and what the person at this end has of it. */
interface Seat {
  session: Session;
  printer: Printer;
  person: Person;
  screen: Screen;
}

async function open(machine: Machine, options: RunOptions, onInterrupt: () => void): Promise<Seat> {
  const cwd = process.cwd();
  const config = loadConfig({ env: machine.env, cwd });
  const screen = createScreen();
  for (const description of config.ignored) screen.say(description);
  const printer = createPrinter(options.output, screen);
  const approvePlan = options.approvePlan ?? false;
  const person = createPerson({ screen, approvePlan, onInterrupt });
  const { session } = await openSession(machine, {
    source: toSource(options, machine.dataDir, cwd),
    request: { cwd, additionalDirectories: [], mcpServers: [] },
    modes: resolveModes(config.modes),
    settings: config,
    attach({ tools }) {
      // Whoever reads objects wants no lines beside them, but for a person who is asked.
      const isFollowed = options.output === 'text' || isPersonThere();
      const progress = isFollowed ? createProgress({ screen, cwd, tools }) : undefined;
      return {
        client: {
          ask: person.ask,
          onDelta: (_, delta) => printer.delta(delta),
          onCompaction({ status, error }) {
            if (status === 'in_progress') screen.show('summarising the conversation');
            else screen.say(error ?? `The summary was ${status}.`, 'yellow');
          },
          onProgress: (_, output) => progress?.output(output),
        },
        sink(event) {
          printer.event(event);
          progress?.event(event);
        },
        notify: ({ title, description }) => screen.say(`${title}: ${description}`, 'yellow'),
        throughClient: (disk) => disk,
        replay: () => undefined,
      };
    },
  });
  return { session, printer, person, screen };
}

function toSource(options: RunOptions, dataDir: string, cwd: string): Source {
  const chosen = [options.resume, options.fork, options.continue].filter(Boolean);
  if (chosen.length > 1) throw new InputError('Use one of --resume, --continue and --fork.');
  if (options.fork !== undefined) return { kind: 'fork', of: options.fork };
  if (options.resume !== undefined) return { kind: 'stored', id: options.resume, replay: false };
  if (!options.continue) return { kind: 'new' };
  const [last] = listSessions(dataDir, { cwd, limit: 1 }).sessions;
  if (!last) throw new UserError(`No session of ${cwd} is stored; leave --continue out.`);
  return { kind: 'stored', id: last.id, replay: false };
}

function readPrompt(words: readonly string[]): string {
  const typed = words.join(' ');
  const piped = process.stdin.isTTY || typed !== '' ? '' : readFileSync(0, 'utf8');
  const text = [typed, piped].filter(Boolean).join('\n\n').trim();
  if (text !== '') return text;
  throw new InputError(
    'There is no prompt. Write it behind `planfold run`, or pipe it in; --help shows examples.',
  );
}

// Once to cancel, twice to leave whatever it is doing; before there is a session, once.
function watchInterrupt() {
  let cancel: () => void = leaveNow;
  const onInterrupt = () => cancel();
  process.on('SIGINT', onInterrupt);
  return {
    onInterrupt,
    cancels(session: Session) {
      cancel = () => {
        cancel = leaveNow;
        void session.cancel();
      };
    },
    leave: () => void process.off('SIGINT', onInterrupt),
  };
}

function leaveNow(): never {
  endAllGroups();
  process.exit(EXIT.cancelled);
}
