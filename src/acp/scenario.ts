import type {
  ClientCapabilities,
  ClientContext,
  ContentBlock,
  CreateElicitationResponse,
  ForkSessionRequest,
  LoadSessionRequest,
  NewSessionRequest,
} from '@agentclientprotocol/sdk/unstable';
import { methods, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk/unstable';
import { createBuffers } from './buffers.ts';
import { type ClientAnswers, connectClient, type Frame } from './client.ts';
import type { AgentPipes } from './in_process.ts';

/** One act of the person at the editor, driven through the real RPC. */
export type Op =
  | { op: 'initialize'; clientCapabilities?: ClientCapabilities | undefined }
  | { op: 'newSession' | 'loadSession' | 'resumeSession' | 'forkSession' }
  /** The agent ends (killed, if `kill`) and another one is started. */
  | { op: 'restart'; kill?: boolean | undefined }
  | { op: 'setMode'; modeId: string }
  | { op: 'setConfigOption'; configId: string; value: string }
  /** `during` happens while the first question of this prompt waits for its answer. */
  | { op: 'prompt'; text: string; during?: Op[] | undefined }
  | { op: 'cancel' };

/** What a person does and answers, from beginning to end. */
export interface Scenario {
  ops: Op[];
  /** Consumed in order by the agent's elicitations. */
  elicitationAnswers: CreateElicitationResponse[];
  /** What the editor has open and not saved: texts by path, relative to the workspace. */
  buffers: Record<string, string>;
  /** Option ids (or `cancelled`), consumed in order by the agent's permission requests. */
  permissionAnswers: string[];
}

/** What came of a scenario. */
export interface ScenarioResult {
  /** The session that was worked in last. */
  sessionId: string | undefined;
  /** Answers that nobody asked for. */
  unused: number;
}

/** An agent that was started, wherever it runs. */
export interface RunningAgent extends AgentPipes {
  /** Resolves when it is gone. */
  closed: Promise<void>;
  /** Ends it without a word, where that can be done. */
  kill: () => void;
}

/** Where a scenario is played. `start` is called at the beginning and by each `restart`. */
export interface Stage {
  cwd: string;
  start: () => RunningAgent;
  onFrame: (frame: Frame) => void;
}

/**
 * Plays a scenario and leaves the agent. An op that the agent refuses is part of the scenario, and
 * shows in the frames; anything else that goes wrong is thrown.
 */
export async function playScenario(scenario: Scenario, stage: Stage): Promise<ScenarioResult> {
  const elicitations = [...scenario.elicitationAnswers];
  const permissions = [...scenario.permissionAnswers];
  let during: Op[] = [];
  let sessionId: string | undefined;

  const next = async <T>(queue: T[], method: string): Promise<T> => {
    for (const op of during.splice(0)) await perform(op);
    const answer = queue.shift();
    if (answer === undefined) throw RequestError.internalError(undefined, `no ${method} answer`);
    return answer;
  };
  const answers: ClientAnswers = {
    elicitation: () => next(elicitations, 'elicitation'),
    async permission() {
      const optionId: string = await next(permissions, 'permission');
      if (optionId === 'cancelled') return { outcome: { outcome: 'cancelled' } };
      return { outcome: { outcome: 'selected', optionId } };
    },
    ...createBuffers(stage.cwd, scenario.buffers),
  };
  let visit = enter(stage, answers);
  const perform = async (op: Op): Promise<void> => {
    if (op.op === 'restart') {
      if (op.kill === true) visit.agent.kill();
      await visit.leave();
      visit = enter(stage, answers);
      return;
    }
    if (op.op === 'prompt') during = [...(op.during ?? [])];
    const here = { sessionId: sessionId ?? '', cwd: stage.cwd };
    const opened = await request(visit.context, op, here);
    // The commands come behind the answer: what is done next is done after them.
    if (opened !== undefined) await visit.commandsShown();
    sessionId = opened ?? sessionId;
  };

  for (const op of scenario.ops) await tolerateRefusal(perform(op));
  await visit.leave();
  return { sessionId, unused: elicitations.length + permissions.length };
}

function enter({ start, onFrame }: Stage, answers: ClientAnswers) {
  const agent = start();
  let shown = 0;
  let awaited = 0;
  let onShown = () => {};
  const { context, close } = connectClient(agent, answers, (frame) => {
    onFrame(frame);
    if (!JSON.stringify(frame.message).includes('"available_commands_update"')) return;
    shown += 1;
    onShown();
  });
  return {
    agent,
    context,
    commandsShown() {
      awaited += 1;
      return new Promise<void>((resolve) => {
        if (shown >= awaited) resolve();
        else onShown = resolve;
      });
    },
    async leave() {
      close();
      await agent.closed;
    },
  };
}

/** Sends the request of an op; resolves with the id of the session that it opened, if it did. */
async function request(
  context: ClientContext,
  op: Exclude<Op, { op: 'restart' }>,
  { sessionId, cwd }: { sessionId: string; cwd: string },
): Promise<string | undefined> {
  const { session, initialize } = methods.agent;
  const stored: LoadSessionRequest & ForkSessionRequest = { sessionId, cwd, mcpServers: [] };
  switch (op.op) {
    case 'initialize': {
      const clientCapabilities = op.clientCapabilities ?? {};
      const protocolVersion = PROTOCOL_VERSION;
      await context.request(initialize, { protocolVersion, clientCapabilities });
      return undefined;
    }
    case 'newSession': {
      const params: NewSessionRequest = { cwd, mcpServers: [] };
      return (await context.request(session.new, params)).sessionId;
    }
    case 'loadSession':
      await context.request(session.load, stored);
      return sessionId;
    case 'resumeSession':
      await context.request(session.resume, stored);
      return sessionId;
    case 'forkSession':
      return (await context.request(session.fork, stored)).sessionId;
    case 'setMode':
      await context.request(session.setMode, { sessionId, modeId: op.modeId });
      return undefined;
    case 'setConfigOption': {
      const { configId, value } = op;
      await context.request(session.setConfigOption, { sessionId, configId, value });
      return undefined;
    }
    case 'prompt': {
      const prompt: ContentBlock[] = [{ type: 'text', text: op.text }];
      await context.request(session.prompt, { sessionId, prompt });
      return undefined;
    }
    case 'cancel':
      await context.notify(session.cancel, { sessionId });
      return undefined;
  }
}

async function tolerateRefusal(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
  }
}
