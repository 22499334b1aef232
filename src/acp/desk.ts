import type { SessionModeState } from '@agentclientprotocol/sdk/unstable';
import { loadConfig } from '../config/load.ts';
import type { PromptBlock } from '../log/events.ts';
import { acquireLock } from '../log/lock.ts';
import { resolveModes } from '../modes/definitions.ts';
import { deleteLog, logFiles } from '../session/library.ts';
import type { Machine } from '../session/machine.ts';
import { checkNewSession, type NewSession } from '../session/new_session.ts';
import { openSession, type Source } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import { type CommandOutcome, COMMANDS, runCommandLine } from './commands.ts';
import { toModeState } from './pickers.ts';
import { type Connection, createWire, type Wire } from './wire.ts';

export { listStored } from './listing.ts';

/** A session and its way to the client. */
export interface Seat {
  session: Session;
  modeState: () => SessionModeState;
  /** Records the switch and tells the client. Throws `InputError` for an unknown mode. */
  setMode: (modeId: string) => void;
  showCommands: () => void;
  /** Speaks to the person outside any turn. */
  say: (text: string) => void;
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
  const close = async (sessionId: string) => {
    const seat = seats.get(sessionId);
    seats.delete(sessionId);
    await seat?.close();
  };
  return {
    async open(request, source) {
      // What will not do is refused before anything is closed for it.
      checkNewSession(request);
      const config = loadConfig({ env: machine.env, cwd: request.cwd });
      if (source.kind === 'stored') {
        seats.get(source.id)?.session.assertIdle();
        await close(source.id);
      }
      const { session, attachment: wire } = await openSession(machine, {
        source,
        request,
        modes: resolveModes(config.modes),
        limits: config.limits,
        attach: (opened) => createWire(connection, opened),
      });
      const seat = createSeat({ session, wire, machine });
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
      await Promise.all([...seats.keys()].map(close));
    },
  };
}

function createSeat(parts: { session: Session; wire: Wire; machine: Machine }): Seat {
  const { session, wire, machine } = parts;
  const { modes } = session;
  const setMode = (modeId: string) => {
    modes.set(modeId);
    wire.showMode(modeId);
  };
  const say = (text: string) => wire.say(machine.ids.next('msg'), text);
  return {
    session,
    setMode,
    say,
    modeState: () => toModeState(modes),
    showCommands: () => wire.showCommands(COMMANDS),
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
    runCommandLine: (content) => runCommandLine(content, { modes, setMode, say }),
  };
}
