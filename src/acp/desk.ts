import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk/unstable';
import { loadConfig } from '../config/load.ts';
import { type PromptFile, readPromptFiles } from '../config/prompt_files.ts';
import type { Config } from '../config/schema.ts';
import type { PromptBlock } from '../log/events.ts';
import { acquireLock } from '../log/lock.ts';
import { resolveModes } from '../modes/definitions.ts';
import { deleteLog, logFiles } from '../session/library.ts';
import type { Machine } from '../session/machine.ts';
import { checkDirectories, type NewSession } from '../session/new_session.ts';
import { type Notice, openSession, type Source } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import { type CommandOutcome, runCommandLine, toCommands } from './commands.ts';
import { MODE_OPTION, toConfigOptions, toModeState } from './pickers.ts';
import { toUsageUpdate } from './usage.ts';
import { type Connection, createWire, type Wire } from './wire.ts';

export { checkCredentials, forgetCredentials } from '../session/credentials.ts';
export { listStored } from './listing.ts';

/** A session and its way to the client. */
export interface Seat {
  session: Session;
  /** What is picked, for the answer that opens the session. */
  pickers: () => { modes: SessionModeState; configOptions: SessionConfigOption[] };
  /** Records the switch and tells the client. Throws `InputError` for an unknown mode. */
  setMode: (modeId: string) => void;
  /** Sets an option, the mode among them. Throws `InputError` naming what is allowed. */
  setOption: (id: string, value: string) => SessionConfigOption[];
  /** Tells the client what follows the answer that opened the session. */
  welcome: () => void;
  /** Compacts and says how it went. */
  compact: (signal: AbortSignal) => Promise<'end_turn' | 'cancelled'>;
  /** Stops what runs; afterwards nothing is sent any more. */
  close: () => Promise<void>;
  /** Deals with a command, or gives back what goes to the model. */
  runCommandLine: (content: PromptBlock[]) => CommandOutcome;
}

/** The sessions of one connection. */
export interface Desk {
  /**
   * Opens a session, new or stored. One that is open already is closed first. Throws as
   * `openSession`.
   */
  open: (request: NewSession, source: Source) => Promise<Seat>;
  find: (sessionId: string) => Seat | undefined;
  /** Stops what runs in a session and gives it free; nothing where it is not open. */
  close: (sessionId: string) => Promise<void>;
  /** Closes a session and removes its log; nothing where there is none. Throws `LockedError`. */
  remove: (sessionId: string) => Promise<void>;
  closeAll: () => Promise<void>;
}

/** The desk at which one client's sessions are opened. */
export function createDesk(machine: Machine, connection: Connection): Desk {
  const seats = new Map<string, Seat>();
  // Whoever closes everything waits for what others are closing as well.
  const closing = new Set<Promise<void>>();
  const close = async (sessionId: string) => {
    const seat = seats.get(sessionId);
    seats.delete(sessionId);
    const closed = seat?.close();
    if (!closed) return;
    closing.add(closed);
    await closed.finally(() => closing.delete(closed));
  };
  return {
    async open(request, source) {
      // What will not do is refused before anything is closed for it.
      checkDirectories(request);
      const config = loadConfig({ env: machine.env, cwd: request.cwd });
      if (source.kind === 'stored') {
        seats.get(source.id)?.session.assertIdle();
        await close(source.id);
      }
      const { session, attachment: wire } = await openSession(machine, {
        source,
        request,
        modes: resolveModes(config.modes),
        settings: config,
        attach: (opened) => createWire(connection, opened),
      });
      const notices = await noticesOf(config, machine);
      const files = readPromptFiles(request.cwd);
      const seat = createSeat({ session, wire, machine, notices, files });
      seats.set(session.id, seat);
      return seat;
    },
    find: (sessionId) => seats.get(sessionId),
    close,
    async remove(sessionId) {
      await close(sessionId);
      const path = logFiles(machine.dataDir).get(sessionId);
      if (path === undefined) return;
      const lock = acquireLock(path);
      try {
        deleteLog(path);
      } finally {
        lock.release();
      }
    },
    async closeAll() {
      await Promise.all([...[...seats.keys()].map(close), ...closing]);
    },
  };
}

// What a person should know of a session before it begins.
async function noticesOf({ sandbox, ignored }: Config, machine: Machine): Promise<Notice[]> {
  const found = await machine.sandbox();
  return [
    ...(sandbox.enabled && 'problem' in found
      ? [
          {
            severity: 'warning' as const,
            title: 'No sandbox',
            description: `${found.problem} Every command asks before it runs.`,
          },
        ]
      : []),
    ...ignored.map((description) => ({
      severity: 'warning' as const,
      title: 'Project configuration',
      description,
    })),
  ];
}

interface SeatParts {
  session: Session;
  wire: Wire;
  machine: Machine;
  notices: readonly Notice[];
  files: readonly PromptFile[];
}

function createSeat({ session, wire, machine, notices, files }: SeatParts): Seat {
  const { modes, knobs } = session;
  const setMode = (modeId: string) => {
    modes.set(modeId);
    wire.showMode(modeId);
    wire.options.show();
  };
  const readOptions = () => toConfigOptions(modes, knobs);
  const say = (text: string) => wire.say(machine.ids.next('msg'), text);
  return {
    session,
    setMode,
    setOption(id, value) {
      if (id === MODE_OPTION) setMode(value);
      else knobs.set(id, value);
      return readOptions();
    },
    pickers() {
      wire.options.start(
        () => ({ sessionUpdate: 'config_option_update', configOptions: readOptions() }),
        true,
      );
      wire.usage.start(() => toUsageUpdate(session), false);
      return { modes: toModeState(modes), configOptions: readOptions() };
    },
    welcome() {
      wire.usage.show();
      for (const notice of notices) wire.notify(notice);
      wire.release();
      wire.showCommands(toCommands(files));
      void session.discoverModels().then(wire.options.show);
    },
    async compact(signal) {
      const outcome = await session.compact(signal);
      if (session.state.lastStop === 'cancelled') return 'cancelled';
      say(
        outcome.done
          ? 'The conversation was replaced by a summary; the recent messages stayed.'
          : `Nothing was compacted: ${outcome.reason}`,
      );
      return 'end_turn';
    },
    async close() {
      await session.close();
      wire.close();
    },
    runCommandLine: (content) => runCommandLine(content, { session, files, setMode, say }),
  };
}
