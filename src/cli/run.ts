import { fstatSync, readFileSync } from 'node:fs';
import { InputError, messageOf, UserError } from '../base/errors.ts';
import { loadConfig } from '../config/load.ts';
import { resolveModes } from '../modes/definitions.ts';
import { endAllGroups } from '../sandbox/group.ts';
import { listSessions } from '../session/library.ts';
import { createMachine } from '../session/machine.ts';
import { openSession, type Source } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import { EXIT } from './exit_codes.ts';
import { createPerson, type Person } from './person.ts';
import { createPrinter, type Output, type Printer } from './printer.ts';
import { createProgress } from './progress.ts';
import { recordRun, type RunRecording } from './record_run.ts';
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
  /** Where a recording of it is made. */
  record?: string;
}

/**
 * One prompt in a session, new or stored. In a terminal a plan is reviewed, a call permitted and a
 * question answered right there; elsewhere nobody can be asked. Resolves with the exit code.
 */
export async function runOnce(words: readonly string[], options: RunOptions): Promise<number> {
  const text = readPrompt(words);
  const interrupt = watchInterrupt();
  const recording = openRecording(options);
  const seat = await open(options, { onInterrupt: interrupt.onInterrupt, recording });
  const { session, printer, person, screen } = seat;
  const cancel = () => {
    recording?.did({ op: 'cancel' });
    void session.cancel();
  };
  interrupt.cancels(cancel);
  // When nobody reads the answer any more, nothing more is done for it.
  process.stdout.on('error', cancel);
  try {
    pick(session, options, recording);
    const answered = recording?.prompted(text);
    const { stopReason, usage } = await session.prompt([{ type: 'text', text }]);
    answered?.();
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
    recording?.end(session.id);
    interrupt.leave();
  }
}

function openRecording({ record, ...options }: RunOptions): RunRecording | undefined {
  if (record === undefined) return undefined;
  const { resume, fork, continue: again, approvePlan } = options;
  if (resume !== undefined || fork !== undefined || again || approvePlan) {
    throw new InputError(
      'A recording begins with a new session and holds what a person decides: leave --resume, ' +
        '--continue, --fork and --approve-plan out.',
    );
  }
  return recordRun(record, process.env);
}

function pick(
  session: Session,
  { mode, model }: RunOptions,
  recording: RunRecording | undefined,
): void {
  if (mode !== undefined) {
    session.modes.set(mode);
    recording?.did({ op: 'setMode', modeId: mode });
  }
  if (model !== undefined) {
    session.knobs.set('model', model);
    recording?.did({ op: 'setConfigOption', configId: 'model', value: model });
  }
}

/** A session, and what the person at this end has of it. */
interface Seat {
  session: Session;
  printer: Printer;
  person: Person;
  screen: Screen;
}

async function open(
  options: RunOptions,
  parts: { onInterrupt: () => void; recording: RunRecording | undefined },
): Promise<Seat> {
  const { onInterrupt, recording } = parts;
  const machine = createMachine(process.env, recording ? { fetch: recording.fetch } : {});
  const cwd = process.cwd();
  const config = loadConfig({ env: machine.env, cwd });
  const screen = createScreen();
  for (const description of config.ignored) screen.say(description);
  const printer = createPrinter(options.output, screen);
  const approvePlan = options.approvePlan ?? false;
  const person = createPerson({ screen, approvePlan, onInterrupt });
  await recording?.begin(machine, cwd);
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
          ask: recording ? recording.watch(person.ask) : person.ask,
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
          recording?.follow(event);
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
  const text = [typed, readPiped(typed === '')].filter(Boolean).join('\n\n').trim();
  if (text !== '') return text;
  throw new InputError(
    'There is no prompt. Write it behind `planfold run`, or pipe it in; --help shows examples.',
  );
}

// Beside words, only what can end by itself is read: whoever starts it may leave stdin open.
function readPiped(isAll: boolean): string {
  if (process.stdin.isTTY) return '';
  const stats = fstatSync(0);
  return isAll || stats.isFIFO() || stats.isFile() ? readFileSync(0, 'utf8') : '';
}

// Once to cancel, twice to leave whatever it is doing; before there is a session, once.
function watchInterrupt() {
  let cancel: () => void = leaveNow;
  const onInterrupt = () => cancel();
  process.on('SIGINT', onInterrupt);
  return {
    onInterrupt,
    cancels(stop: () => void) {
      cancel = () => {
        cancel = leaveNow;
        stop();
      };
    },
    leave: () => void process.off('SIGINT', onInterrupt),
  };
}

function leaveNow(): never {
  endAllGroups();
  process.exit(EXIT.cancelled);
}
