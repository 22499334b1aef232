import type { SessionModeState } from '@agentclientprotocol/sdk/unstable';
import { loadConfig } from '../config/load.ts';
import type { PromptBlock } from '../log/events.ts';
import { resolveModes } from '../modes/definitions.ts';
import type { Machine } from '../session/machine.ts';
import type { NewSession } from '../session/new_session.ts';
import { openSession } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import { type CommandOutcome, COMMANDS, runCommandLine } from './commands.ts';
import { toModeState } from './pickers.ts';
import { type Connection, createWire, type Wire } from './wire.ts';

/** A session and its way to the client. */
export interface Seat {
  session: Session;
  modeState: () => SessionModeState;
  /** Records the switch and tells the client. Throws `InputError` for an unknown mode. */
  setMode: (modeId: string) => void;
  showCommands: () => void;
  /** Speaks to the person outside any turn. */
  say: (text: string) => void;
  /** Deals with a command, or gives back what goes to the model. */
  runCommandLine: (content: PromptBlock[]) => CommandOutcome;
}

/** The sessions of one connection. */
export interface Desk {
  /** Opens a session. Throws `InputError` or `UserError`. */
  open: (request: NewSession) => Seat;
  find: (sessionId: string) => Seat | undefined;
  cancelAll: () => Promise<void>;
}

/** The desk at which one client's sessions are opened. */
export function createDesk(machine: Machine, connection: Connection): Desk {
  const seats = new Map<string, Seat>();
  return {
    open(request) {
      const config = loadConfig({ env: machine.env, cwd: request.cwd });
      const { session, attachment: wire } = openSession(machine, {
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
    async cancelAll() {
      await Promise.all([...seats.values()].map(({ session }) => session.cancel()));
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
    runCommandLine: (content) => runCommandLine(content, { modes, setMode, say }),
  };
}
