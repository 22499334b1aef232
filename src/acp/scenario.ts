import type {
  ClientCapabilities,
  ClientContext,
  CreateElicitationResponse,
  NewSessionRequest,
} from '@agentclientprotocol/sdk/unstable';
import { methods, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk/unstable';
import { connectClient, type Frame } from './client.ts';
import type { AgentPipes } from './in_process.ts';

/** One act of the person at the editor, driven through the real RPC. */
export type Op =
  | { op: 'initialize'; clientCapabilities?: ClientCapabilities | undefined }
  | { op: 'newSession' }
  | { op: 'setMode'; modeId: string }
  /** `during` happens while the first question of this prompt waits for its answer. */
  | { op: 'prompt'; text: string; during?: Op[] | undefined }
  | { op: 'cancel' };

/** What a person does and answers, from beginning to end. */
export interface Scenario {
  ops: Op[];
  /** Consumed in order by the agent's elicitations. */
  elicitationAnswers: CreateElicitationResponse[];
  /** Option ids (or `cancelled`), consumed in order by the agent's permission requests. */
  permissionAnswers: string[];
}

/** What came of a scenario. */
export interface ScenarioResult {
  sessionId: string | undefined;
  /** Answers that nobody asked for. */
  unused: number;
}

/**
 * Plays a scenario against an agent and leaves it. An op that the agent refuses is part of the
 * scenario, and shows in the frames; anything else that goes wrong is thrown.
 */
export async function playScenario(
  pipes: AgentPipes,
  scenario: Scenario,
  { cwd, onFrame }: { cwd: string; onFrame: (frame: Frame) => void },
): Promise<ScenarioResult> {
  const elicitations = [...scenario.elicitationAnswers];
  const permissions = [...scenario.permissionAnswers];
  const commandsShown = deferred();
  let sessionId: string | undefined;
  let during: Op[] = [];

  const meanwhile = async () => {
    for (const op of during.splice(0)) await perform(op);
  };
  const next = async <T>(queue: T[], method: string): Promise<T> => {
    await meanwhile();
    const answer = queue.shift();
    if (answer === undefined) throw RequestError.internalError(undefined, `no ${method} answer`);
    return answer;
  };
  const watch = (frame: Frame) => {
    onFrame(frame);
    if (JSON.stringify(frame.message).includes('available_commands_update'))
      commandsShown.resolve();
  };
  const { context, close } = connectClient(
    pipes,
    {
      elicitation: () => next(elicitations, 'elicitation'),
      async permission() {
        const optionId: string = await next(permissions, 'permission');
        if (optionId === 'cancelled') return { outcome: { outcome: 'cancelled' } };
        return { outcome: { outcome: 'selected', optionId } };
      },
    },
    watch,
  );

  const perform = async (op: Op): Promise<void> => {
    if (op.op === 'newSession') {
      const params: NewSessionRequest = { cwd, mcpServers: [] };
      sessionId = (await context.request(methods.agent.session.new, params)).sessionId;
      await commandsShown.promise;
      return;
    }
    if (op.op === 'prompt') during = [...(op.during ?? [])];
    await request(context, op, sessionId ?? '');
  };

  for (const op of scenario.ops) await tolerateRefusal(perform(op));
  close();
  return { sessionId, unused: elicitations.length + permissions.length };
}

function request(
  context: ClientContext,
  op: Exclude<Op, { op: 'newSession' }>,
  sessionId: string,
): Promise<unknown> {
  const { agent } = methods;
  switch (op.op) {
    case 'initialize':
      return context.request(agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: op.clientCapabilities ?? {},
      });
    case 'setMode':
      return context.request(agent.session.setMode, { sessionId, modeId: op.modeId });
    case 'prompt':
      return context.request(agent.session.prompt, {
        sessionId,
        prompt: [{ type: 'text', text: op.text }],
      });
    case 'cancel':
      return context.notify(agent.session.cancel, { sessionId });
  }
}

async function tolerateRefusal(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
