import type {
  ClientCapabilities,
  McpServer,
  McpServerStdio,
  NewSessionRequest,
} from '@agentclientprotocol/sdk/unstable';
import { InputError, UnknownSessionError } from '../base/errors.ts';
import type { McpServerSpec } from '../mcp/spec.ts';
import type { Machine } from '../session/machine.ts';
import type { Source } from '../session/open.ts';
import type { ClientPort } from './client_port.ts';
import type { Desk, Seat } from './desk.ts';

/** What the requests that open a session have in common. */
export type OpenRequest = Pick<NewSessionRequest, 'cwd' | 'additionalDirectories'> & {
  mcpServers?: NewSessionRequest['mcpServers'];
};

/** Opens sessions for one client, and loads what that takes behind the first answer. */
export interface Opener {
  /** Notes what the client can do, and begins to load. */
  prepare: (capabilities: ClientCapabilities) => void;
  load: () => Promise<[typeof import('./desk.ts'), Machine]>;
  openDesk: () => Promise<Desk>;
  /** The desk, once a session was opened. */
  desk: () => Desk | undefined;
  /** Opens a session; its commands are shown after the answer. */
  open: (request: OpenRequest, source: Source) => Promise<Seat>;
  /** Throws `UnknownSessionError` for a session that is not open. */
  seatOf: (sessionId: string) => Seat;
}

/** See `Opener`; what `loadMachine` throws is thrown by the opening. */
export function createOpener(loadMachine: () => Promise<Machine>, client: ClientPort): Opener {
  let capabilities: ClientCapabilities = {};
  let desk: Desk | undefined;
  let loaded: ReturnType<Opener['load']> | undefined;

  const load = () => (loaded ??= Promise.all([import('./desk.ts'), loadMachine()]));
  const openDesk = async (): Promise<Desk> => {
    const [{ createDesk }, machine] = await load();
    return (desk ??= createDesk(machine, { client, capabilities }));
  };
  return {
    load,
    openDesk,
    desk: () => desk,
    prepare(known) {
      capabilities = known;
      // A failure is met by whoever needs what could not be loaded.
      setImmediate(() => void load().catch(() => {}));
    },
    async open({ cwd, additionalDirectories = [], mcpServers = [] }, source) {
      const seat = await (
        await openDesk()
      ).open({ cwd, additionalDirectories, mcpServers: mcpServers.map(toSpec) }, source);
      // Editors drop what they hear of a session before they hear that it exists.
      setImmediate(() => {
        seat.welcome();
      });
      return seat;
    },
    seatOf(sessionId) {
      const seat = desk?.find(sessionId);
      if (seat) return seat;
      throw new UnknownSessionError(
        `No session \`${sessionId}\` is open here. Open one with session/new, or load it.`,
      );
    },
  };
}

// Servers over ACP itself were not advertised, so none is asked for.
function toSpec(server: McpServer): McpServerSpec {
  const { name } = server;
  if (!('type' in server) || server.type === undefined) {
    const { command, args, env } = server as McpServerStdio;
    return { name, type: 'stdio', command, args, env: toRecord(env) };
  }
  if (server.type === 'acp') {
    throw new InputError(`The MCP server ${name} is of type acp, which is not supported.`);
  }
  return { name, type: server.type, url: server.url, headers: toRecord(server.headers) };
}

function toRecord(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
