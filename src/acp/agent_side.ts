import type {
  CancelNotification,
  ForkSessionRequest,
  ForkSessionResponse,
  InitializeRequest,
  InitializeResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  LoadSessionRequest,
  LoadSessionResponse,
  NewSessionRequest,
  NewSessionResponse,
  PromptRequest,
  PromptResponse,
  ResumeSessionRequest,
  ResumeSessionResponse,
  SetSessionConfigOptionRequest,
  SetSessionConfigOptionResponse,
  SetSessionModeRequest,
} from '@agentclientprotocol/sdk/unstable';
import type { Machine } from '../session/machine.ts';
import type { Source } from '../session/open.ts';
import { type Auth, createAuth } from './auth.ts';
import type { ClientPort } from './client_port.ts';
import { helloResult } from './hello.ts';
import { createOpener } from './opener.ts';
import { readPrompt } from './prompt_content.ts';
import { toUsage } from './usage.ts';

/** What Planfold does for one client: a function a method, in ACP's own types. */
export interface AgentSide extends Auth {
  initialize: (params: InitializeRequest) => InitializeResponse;
  newSession: (params: NewSessionRequest) => Promise<NewSessionResponse>;
  /** Replays the conversation, then answers. */
  loadSession: (params: LoadSessionRequest) => Promise<LoadSessionResponse>;
  resumeSession: (params: ResumeSessionRequest) => Promise<ResumeSessionResponse>;
  forkSession: (params: ForkSessionRequest) => Promise<ForkSessionResponse>;
  listSessions: (params: ListSessionsRequest) => Promise<ListSessionsResponse>;
  closeSession: (params: { sessionId: string }) => Promise<Record<string, never>>;
  deleteSession: (params: { sessionId: string }) => Promise<Record<string, never>>;
  setMode: (params: SetSessionModeRequest) => Record<string, never>;
  /** Answers with the complete list of options. */
  setConfigOption: (params: SetSessionConfigOptionRequest) => SetSessionConfigOptionResponse;
  prompt: (params: PromptRequest, signal: AbortSignal) => Promise<PromptResponse>;
  cancel: (params: CancelNotification) => void;
  /** Stops all work and closes every session; resolves when every turn has ended. */
  closeAll: () => Promise<void>;
}

const SESSIONS_A_PAGE = 50;

/**
 * The agent's side of one connection. `loadMachine` is called behind the first answer, for until
 * then an editor waits; what it throws is the answer to `session/new`.
 */
export function createAgentSide(
  loadMachine: () => Promise<Machine>,
  client: ClientPort,
): AgentSide {
  const opener = createOpener(loadMachine, client);
  const { open, openDesk, seatOf } = opener;
  return {
    initialize(params) {
      opener.prepare(params.clientCapabilities ?? {});
      return helloResult(params.clientCapabilities ?? {});
    },
    ...createAuth(opener),
    async newSession(params) {
      const seat = await open(params, { kind: 'new' });
      return { sessionId: seat.session.id, ...seat.pickers() };
    },
    async loadSession(params) {
      const source: Source = { kind: 'stored', id: params.sessionId, replay: true };
      return (await open(params, source)).pickers();
    },
    async resumeSession(params) {
      const source: Source = { kind: 'stored', id: params.sessionId, replay: false };
      return (await open(params, source)).pickers();
    },
    async forkSession(params) {
      const seat = await open(params, { kind: 'fork', of: params.sessionId });
      return { sessionId: seat.session.id, ...seat.pickers() };
    },
    async listSessions({ cwd, cursor }) {
      const [{ listStored }, machine] = await opener.load();
      return listStored(machine.dataDir, { cwd, cursor, limit: SESSIONS_A_PAGE });
    },
    async closeSession({ sessionId }) {
      await opener.desk()?.close(sessionId);
      return {};
    },
    async deleteSession({ sessionId }) {
      await (await openDesk()).remove(sessionId);
      return {};
    },
    setMode({ sessionId, modeId }) {
      seatOf(sessionId).setMode(modeId);
      return {};
    },
    setConfigOption({ sessionId, configId, value }) {
      return { configOptions: seatOf(sessionId).setOption(configId, String(value)) };
    },
    async prompt({ sessionId, prompt }, signal) {
      const seat = seatOf(sessionId);
      seat.session.assertIdle();
      const command = seat.runCommandLine(readPrompt(prompt));
      if (command.kind === 'done') return { stopReason: 'end_turn' };
      if (command.kind === 'compact') return { stopReason: await seat.compact(signal) };
      const { stopReason, usage } = await seat.session.prompt(command.content, signal);
      return { stopReason, ...(usage ? { usage: toUsage(usage) } : {}) };
    },
    cancel({ sessionId }) {
      void opener.desk()?.find(sessionId)?.session.cancel();
    },
    closeAll: async () => opener.desk()?.closeAll(),
  };
}
