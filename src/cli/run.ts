import { readFileSync } from 'node:fs';
import { InputError, messageOf, UserError } from '../base/errors.ts';
import { loadConfig } from '../config/load.ts';
import type { SessionState } from '../log/state.ts';
import { resolveModes } from '../modes/definitions.ts';
import { listSessions } from '../session/library.ts';
import { createMachine, type Machine } from '../session/machine.ts';
import { openSession, type Source } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import { EXIT } from './exit_codes.ts';
import { createPerson } from './person.ts';
import { createPrinter, type Output, type Printer } from './printer.ts';

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
 * One prompt in a session, new or stored. In a terminal a plan is reviewed and a call permitted
 * right there; elsewhere nobody can be asked. Resolves with the exit code.
 */
export async function runOnce(words: readonly string[], options: RunOptions): Promise<number> {
  const text = readPrompt(words);
  const machine = createMachine(process.env);
  const printer = createPrinter(options.output);
  const person = createPerson(printer, options.approvePlan ?? false);
  const session = await open(machine, options, { printer, person });
  const unwatch = watchInterrupt(session);
  try {
    if (options.mode !== undefined) session.modes.set(options.mode);
    if (options.model !== undefined) session.knobs.set('model', options.model);
    const { stopReason, usage } = await session.prompt([{ type: 'text', text }]);
    printer.end({ sessionId: session.id, stopReason, usage, plan: waiting(session.state, person) });
    if (person.planWaits()) return EXIT.planWaits;
    if (stopReason === 'cancelled') return EXIT.cancelled;
    return stopReason === 'end_turn' ? EXIT.done : EXIT.unfinished;
  } catch (error) {
    printer.fail(session.id, messageOf(error));
    return EXIT.failed;
  } finally {
    person.leave();
    await session.close();
    unwatch();
  }
}

function waiting({ plans }: SessionState, person: { planWaits: () => boolean }) {
  return person.planWaits() ? plans.presented : undefined;
}

async function open(
  machine: Machine,
  options: RunOptions,
  parts: { printer: Printer; person: ReturnType<typeof createPerson> },
): Promise<Session> {
  const cwd = process.cwd();
  const config = loadConfig({ env: machine.env, cwd });
  const { printer, person } = parts;
  for (const description of config.ignored) printer.note(description);
  const { session } = await openSession(machine, {
    source: toSource(options, machine.dataDir, cwd),
    request: { cwd, additionalDirectories: [], mcpServers: [] },
    modes: resolveModes(config.modes),
    settings: config,
    attach: () => ({
      client: { ask: person.ask, onDelta: printer.delta, onCompaction() {}, onProgress() {} },
      sink: printer.event,
      notify: ({ title, description }) => printer.note(`${title}: ${description}`),
      throughClient: (disk) => disk,
      replay: () => undefined,
    }),
  });
  return session;
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
  throw new InputError('There is no prompt. Write it behind `planfold run`, or pipe it in.');
}

// Once to cancel, twice to leave whatever it is doing.
function watchInterrupt(session: Session): () => void {
  let asked = false;
  const onInterrupt = () => {
    if (asked) process.exit(EXIT.cancelled);
    asked = true;
    void session.cancel();
  };
  process.on('SIGINT', onInterrupt);
  return () => process.off('SIGINT', onInterrupt);
}
