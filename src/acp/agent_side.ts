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
import { InputError } from '../base/errors.ts';
import { AGENT } from '../base/version.ts';
import { loadConfig } from '../config/load.ts';
import { resolveModes } from '../modes/definitions.ts';
import type { Machine } from '../session/machine.ts';
import { openSession } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import { createSessions, type NewSession } from '../session/sessions.ts';
import { runCommandLine, COMMANDS } from './commands.ts';
import { toModeState } from './pickers.ts';
import { readPrompt } from './prompt_content.ts';
import { toUsage } from './usage.ts';
import { type Connection, createWire, type Wire } from './wire.ts';

/** What Planfold does for one client: a function a method, in ACP's own types. */
export interface AgentSide {
  initialize: (params: InitializeRequest) => InitializeResponse;
  newSession: (params: NewSessionRequest, client: AgentContext) => NewSessionResponse;
  setMode: (params: SetSessionModeRequest) => Record<string, never>;
  prompt: (params: PromptRequest, signal: AbortSignal) => Promise<PromptResponse>;
  cancel: (params: CancelNotification) => void;
  /** Stops all work; resolves when every turn has ended. */
  cancelAll: () => Promise<void>;
}

/** The agent's side of one connection, on `machine`. */
export function createAgentSide(machine: Machine): AgentSide {
  const { open, wireOf, connect } = createOpener(machine);
  const sessions = createSessions(open);
  const setMode = (session: Session, modeId: string) => {
    session.modes.set(modeId);
    wireOf(session.id).showMode(modeId);
  };

  return {
    initialize(params) {
      connect({ capabilities: params.clientCapabilities ?? {} });
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
    newSession(params, client) {
      connect({ client });
      if (params.mcpServers.length > 0) {
        const names = params.mcpServers.map(({ name }) => name).join(', ');
        throw new InputError(`MCP servers are not supported yet, got: ${names}.`);
      }
      const { cwd, additionalDirectories = [] } = params;
      const session = sessions.create({ cwd, additionalDirectories });
      // Editors drop what they hear of a session before they hear that it exists.
      setImmediate(() => wireOf(session.id).showCommands(COMMANDS));
      return { sessionId: session.id, modes: toModeState(session.modes) };
    },
    setMode({ sessionId, modeId }) {
      setMode(sessions.get(sessionId), modeId);
      return {};
    },
    async prompt({ sessionId, prompt }, signal) {
      const session = sessions.get(sessionId);
      const wire = wireOf(sessionId);
      session.assertIdle();
      const command = runCommandLine(readPrompt(prompt), {
        modes: session.modes,
        setMode: (modeId) => setMode(session, modeId),
        say: (text) => wire.say(machine.ids.next('msg'), text),
      });
      if (command.done) return { stopReason: 'end_turn' };
      const { stopReason, usage } = await session.prompt(command.content, signal);
      return { stopReason, ...(usage ? { usage: toUsage(usage) } : {}) };
    },
    cancel({ sessionId }) {
      void sessions.find(sessionId)?.cancel();
    },
    cancelAll: sessions.cancelAll,
  };
}

interface Opener {
  open: (request: NewSession) => Session;
  wireOf: (sessionId: string) => Wire;
  /** What is known of the client so far; sessions opened from now on use it. */
  connect: (known: Partial<Connection>) => void;
}

function createOpener(machine: Machine): Opener {
  const wires = new Map<string, Wire>();
  let capabilities: ClientCapabilities = {};
  let client: AgentContext | undefined;
  return {
    connect(known) {
      capabilities = known.capabilities ?? capabilities;
      client = known.client ?? client;
    },
    open(request) {
      if (!client) throw new Error('A session was opened without a client.');
      const connection = { client, capabilities };
      const config = loadConfig({ env: machine.env, cwd: request.cwd });
      return openSession(machine, {
        request,
        modes: resolveModes(config.modes),
        limits: config.limits,
        attach(session) {
          const wire = createWire(connection, session);
          wires.set(session.id, wire);
          return wire;
        },
      });
    },
    wireOf(sessionId) {
      const wire = wires.get(sessionId);
      if (!wire) throw new Error(`Session ${sessionId} has no wire.`);
      return wire;
    },
  };
}
