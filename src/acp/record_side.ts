import type { ContentBlock } from '@agentclientprotocol/sdk/unstable';
import type { AgentSide } from './agent_side.ts';
import type { Op } from './ops.ts';
import { InputError } from '../base/errors.ts';
import type { Machine } from '../session/machine.ts';
import { checkDirectories } from '../session/new_session.ts';
import type { ScenarioDraft } from './scenario_draft.ts';

/** Makes a scenario of one session. */
export interface SessionRecorder {
  draft: ScenarioDraft;
  /**
   * The session is about to begin in `cwd`: what it starts from is kept. Throws `UserError` for a
   * workspace that is too large.
   */
  begin: (machine: Machine, cwd: string) => Promise<void>;
  /** The session is over: its log becomes a golden. */
  end: (sessionId: string) => void;
}

/** What the agent's side is recorded with. */
export interface Recording {
  recorder: SessionRecorder;
  loadMachine: () => Promise<Machine>;
}

/**
 * The agent's side of a connection, with what the client does and answers in one session written
 * down. Files are read and written on the disk meanwhile, and no MCP server is started: neither an
 * editor's buffers nor a server's answers are part of a recording.
 */
export function recordSide(side: AgentSide, recording: Recording): AgentSide {
  const { recorder } = recording;
  const place: Place = { current: undefined, prompting: false };
  return {
    ...side,
    ...recordOpening(side, recording, place),
    ...recordWork(side, recorder.draft, place),
    async closeAll() {
      if (place.prompting) recorder.draft.did({ op: 'cancel' });
      await side.closeAll();
      if (place.current !== undefined) recorder.end(place.current);
      place.current = undefined;
    },
  };
}

/** Which session is recorded, and whether a prompt runs in it. */
interface Place {
  current: string | undefined;
  prompting: boolean;
}

function checkCurrent({ current }: Place, sessionId?: string): void {
  if (sessionId === current) return;
  throw new InputError(
    'This agent was started with --record and records one session, its first. Start another ' +
      'agent without --record for others.',
  );
}

type Opening = 'initialize' | 'newSession' | 'loadSession' | 'resumeSession' | 'forkSession';

function recordOpening(
  side: AgentSide,
  { recorder, loadMachine }: Recording,
  place: Place,
): Pick<AgentSide, Opening> {
  const { draft } = recorder;
  return {
    initialize(params) {
      const { fs: _, ...clientCapabilities } = params.clientCapabilities ?? {};
      draft.did({ op: 'initialize', clientCapabilities });
      return side.initialize({ ...params, clientCapabilities });
    },
    async newSession(params) {
      checkCurrent(place);
      if (params.additionalDirectories?.length) {
        throw new InputError('A recording has one workspace: leave additionalDirectories out.');
      }
      checkDirectories({ cwd: params.cwd, additionalDirectories: [] });
      await recorder.begin(await loadMachine(), params.cwd);
      draft.did({ op: 'newSession' });
      const alone = { ...params, mcpServers: [] };
      const answer = await side.newSession(alone);
      place.current = answer.sessionId;
      return answer;
    },
    async loadSession(params) {
      checkCurrent(place, params.sessionId);
      draft.did({ op: 'loadSession' });
      return side.loadSession({ ...params, mcpServers: [] });
    },
    async resumeSession(params) {
      checkCurrent(place, params.sessionId);
      draft.did({ op: 'resumeSession' });
      return side.resumeSession({ ...params, mcpServers: [] });
    },
    async forkSession(params) {
      checkCurrent(place, params.sessionId);
      draft.did({ op: 'forkSession' });
      const answer = await side.forkSession({ ...params, mcpServers: [] });
      place.current = answer.sessionId;
      return answer;
    },
  };
}

type Work = 'setMode' | 'setConfigOption' | 'prompt' | 'cancel';

function recordWork(side: AgentSide, draft: ScenarioDraft, place: Place): Pick<AgentSide, Work> {
  return {
    setMode(params) {
      checkCurrent(place, params.sessionId);
      draft.did({ op: 'setMode', modeId: params.modeId });
      return side.setMode(params);
    },
    setConfigOption(params) {
      const { sessionId, configId, value } = params;
      checkCurrent(place, sessionId);
      draft.did({ op: 'setConfigOption', configId, value: String(value) });
      return side.setConfigOption(params);
    },
    async prompt(params, signal) {
      checkCurrent(place, params.sessionId);
      // One that is about to be refused is none.
      if (place.prompting) return side.prompt(params, signal);
      place.prompting = true;
      const ended = draft.prompted(toPromptOp(params.prompt));
      const onAbort = () => draft.did({ op: 'cancel' });
      signal.addEventListener('abort', onAbort);
      try {
        return await side.prompt(params, signal);
      } finally {
        signal.removeEventListener('abort', onAbort);
        place.prompting = false;
        ended();
      }
    },
    cancel(params) {
      if (params.sessionId === place.current) draft.did({ op: 'cancel' });
      side.cancel(params);
    },
  };
}

function toPromptOp([first, ...more]: readonly ContentBlock[]): Extract<Op, { op: 'prompt' }> {
  if (first?.type === 'text') {
    return { op: 'prompt', text: first.text, ...(more.length > 0 ? { content: more } : {}) };
  }
  return { op: 'prompt', content: first ? [first, ...more] : [] };
}
