import {
  type CreateElicitationResponse,
  RequestError,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk/unstable';
import { isObject } from '../base/json.ts';
import { createBuffers } from './buffers.ts';
import { type ClientAnswers, connectClient, type Frame } from './client.ts';
import type { AgentPipes } from './in_process.ts';
import { type Moment, type Op, performOp } from './ops.ts';

/** An answer to a permission request: an option id or `cancelled`, and why, if the client says. */
export type PermissionAnswer = string | { optionId: string; reason: string };

/** What a person does and answers, from beginning to end. */
export interface Scenario {
  ops: Op[];
  /** Consumed in order by the agent's elicitations. */
  elicitationAnswers: CreateElicitationResponse[];
  /** What the editor has open and not saved: texts by path, relative to the workspace. */
  buffers: Record<string, string>;
  /** Consumed in order by the agent's permission requests. */
  permissionAnswers: PermissionAnswer[];
}

/** What came of a scenario. */
export interface ScenarioResult {
  /** The session that was worked in last. */
  sessionId: string | undefined;
  /** Answers that nobody asked for, and moments that did not come. */
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
  /** Where the model's answers are replayed: it calls `listener` with each that has come so far. */
  onDelivered?: ((listener: (exchange: number) => Promise<void>) => void) | undefined;
}

/**
 * Plays a scenario and leaves the agent. An op that the agent refuses is part of the scenario, and
 * shows in the frames; anything else that goes wrong is thrown.
 */
export async function playScenario(scenario: Scenario, stage: Stage): Promise<ScenarioResult> {
  const elicitations = [...scenario.elicitationAnswers];
  const permissions = [...scenario.permissionAnswers];
  const moments = createMoments((op) => perform(op));
  let sessionId: string | undefined;

  const next = async <T>(queue: T[], method: string): Promise<T> => {
    await moments.asked();
    const answer = queue.shift();
    if (answer === undefined) throw RequestError.internalError(undefined, `no ${method} answer`);
    return answer;
  };
  const answers: ClientAnswers = {
    elicitation: () => next(elicitations, 'elicitation'),
    permission: async () => toPermissionResponse(await next(permissions, 'permission')),
    ...createBuffers(stage.cwd, scenario.buffers),
  };
  stage.onDelivered?.(moments.delivered);
  const onFrame = (frame: Frame) => {
    stage.onFrame(frame);
    moments.passed(frame);
  };
  let visit = enter({ ...stage, onFrame }, answers);
  const perform = async (op: Op): Promise<void> => {
    if (op.op === 'restart') {
      if (op.kill === true) visit.agent.kill();
      await visit.leave();
      visit = enter({ ...stage, onFrame }, answers);
      return;
    }
    if (op.op === 'prompt') moments.await(op.during ?? []);
    const here = { sessionId: sessionId ?? '', cwd: stage.cwd };
    const opened = await performOp(visit.context, op, here);
    // The commands come behind the answer: what is done next is done after them.
    if (opened !== undefined) await visit.commandsShown();
    sessionId = opened ?? sessionId;
  };

  for (const op of scenario.ops) await tolerateRefusal(perform(op));
  await visit.leave();
  return { sessionId, unused: elicitations.length + permissions.length + moments.missed() };
}

function toPermissionResponse(answer: PermissionAnswer): RequestPermissionResponse {
  if (answer === 'cancelled') return { outcome: { outcome: 'cancelled' } };
  const { optionId, reason } = typeof answer === 'string' ? { optionId: answer } : answer;
  const meta = reason === undefined ? {} : { _meta: { reason } };
  return { outcome: { outcome: 'selected', optionId, ...meta } };
}

/** The moments of the prompt that runs: each is performed when it comes, once. */
function createMoments(perform: (op: Op) => Promise<void>) {
  let waiting: Moment[] = [];
  let questions = 0;
  let missed = 0;
  const come = async (isNow: (moment: Moment) => boolean) => {
    const now = waiting.filter(isNow);
    waiting = waiting.filter((moment) => !now.includes(moment));
    for (const op of now.flatMap(({ ops }) => ops)) await tolerateRefusal(perform(op));
  };
  return {
    await(moments: readonly Moment[]) {
      missed += waiting.length;
      waiting = [...moments];
      questions = 0;
    },
    async asked() {
      questions += 1;
      const question = questions;
      await come((moment) => 'question' in moment && moment.question === question);
    },
    delivered: (exchange: number) =>
      come((moment) => 'request' in moment && moment.request === exchange),
    passed({ message }: Frame) {
      const running = runningCall(message);
      if (running !== undefined) {
        void come((moment) => 'call' in moment && moment.call === running).catch(() => {});
      }
    },
    missed: () => missed + waiting.length,
  };
}

function runningCall(message: object): unknown {
  const { params } = message as { params?: unknown };
  const update = isObject(params) ? params['update'] : undefined;
  if (!isObject(update) || update['status'] !== 'in_progress') return undefined;
  return update['toolCallId'];
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

async function tolerateRefusal(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
  }
}
