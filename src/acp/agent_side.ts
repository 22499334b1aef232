import type {
  AgentContext,
  CancelNotification,
  ClientCapabilities,
  InitializeRequest,
  InitializeResponse,
  NewSessionRequest,
  NewSessionResponse,
  PromptRequest,
  PromptResponse,
  SetSessionModeRequest,
} from '@agentclientprotocol/sdk/unstable';
import { PROTOCOL_VERSION } from '@agentclientprotocol/sdk/unstable';
import { UnknownSessionError } from '../base/errors.ts';
import { AGENT } from '../base/version.ts';
import type { Machine } from '../session/machine.ts';
import type { Desk, Seat } from './desk.ts';
import { readPrompt } from './prompt_content.ts';
import { toUsage } from './usage.ts';

/** What Planfold does for one client: a function a method, in ACP's own types. */
export interface AgentSide {
  initialize: (params: InitializeRequest) => InitializeResponse;
  newSession: (params: NewSessionRequest, client: AgentContext) => Promise<NewSessionResponse>;
  setMode: (params: SetSessionModeRequest) => Record<string, never>;
  prompt: (params: PromptRequest, signal: AbortSignal) => Promise<PromptResponse>;
  cancel: (params: CancelNotification) => void;
  /** Stops all work; resolves when every turn has ended. */
  cancelAll: () => Promise<void>;
}

/**
 * The agent's side of one connection. `loadMachine` is called behind the first answer, for until then
 * an editor waits; what it throws is the answer to `session/new`.
 */
export function createAgentSide(loadMachine: () => Promise<Machine>): AgentSide {
  let capabilities: ClientCapabilities = {};
  let desk: Desk | undefined;
  let loaded: Promise<[typeof import('./desk.ts'), Machine]> | undefined;

  const load = () => (loaded ??= Promise.all([import('./desk.ts'), loadMachine()]));
  const openDesk = async (client: AgentContext): Promise<Desk> => {
    const [{ createDesk }, machine] = await load();
    return (desk ??= createDesk(machine, { client, capabilities }));
  };
  const seatOf = (sessionId: string): Seat => {
    const seat = desk?.find(sessionId);
    if (seat) return seat;
    throw new UnknownSessionError(
      `No session \`${sessionId}\` is open here. Open one with session/new.`,
    );
  };

  return {
    initialize(params) {
      capabilities = params.clientCapabilities ?? {};
      setImmediate(() => void load().catch(() => {}));
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { ...AGENT, title: 'Planfold' },
        agentCapabilities: {
          promptCapabilities: { embeddedContext: true },
          sessionCapabilities: { additionalDirectories: {} },
        },
        authMethods: [],
      };
    },
    async newSession(params, client) {
      const { cwd, additionalDirectories = [], mcpServers } = params;
      const seat = (await openDesk(client)).open({ cwd, additionalDirectories });
      // Editors drop what they hear of a session before they hear that it exists.
      setImmediate(() => {
        seat.showCommands();
        const names = mcpServers.map(({ name }) => name).join(', ');
        if (names !== '') seat.say(`MCP servers are not supported yet; not started: ${names}.`);
      });
      return { sessionId: seat.session.id, modes: seat.modeState() };
    },
    setMode({ sessionId, modeId }) {
      seatOf(sessionId).setMode(modeId);
      return {};
    },
    async prompt({ sessionId, prompt }, signal) {
      const seat = seatOf(sessionId);
      seat.session.assertIdle();
      const command = seat.runCommandLine(readPrompt(prompt));
      if (command.done) return { stopReason: 'end_turn' };
      const { stopReason, usage } = await seat.session.prompt(command.content, signal);
      return { stopReason, ...(usage ? { usage: toUsage(usage) } : {}) };
    },
    cancel({ sessionId }) {
      void desk?.find(sessionId)?.session.cancel();
    },
    cancelAll: async () => desk?.cancelAll(),
  };
}
