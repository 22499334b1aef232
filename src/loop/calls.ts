import { messageOf } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Question, ResultBlock } from '../log/events.ts';
import type { Turn } from '../log/log.ts';
import { closeCalls } from '../log/repair.ts';
import type { ModelCall } from '../model/types.ts';
import { errorOutcome, type Tool, type ToolOutcome } from '../tools/tool.ts';
import type { ToolView } from '../tools/view.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { Agent, Limits } from './agent.ts';
import { askPerson, refusalOf, TurnCancelled } from './ask_person.ts';
import { decide, type Decision } from './permission.ts';
import { surveyCall } from './survey.ts';

const CANCELLED = 'Cancelled by the user.';

/** A call that can run, perhaps after a question, or the reason why it cannot. */
type Prepared = { call: ModelCall } & (
  | { tool: Tool; input: JsonObject; permission: Permission | undefined; workspace: Workspace }
  | { problem: string }
);

type Permission = Omit<Extract<Decision, { kind: 'ask' }>, 'kind'>;

interface Calls {
  calls: readonly ModelCall[];
  view: ToolView;
  signal: AbortSignal;
}

/**
 * Runs the calls of one answer and logs a result for each, in the model's order. Calls that change
 * nothing and ask nobody run side by side; each of the others runs alone.
 */
export async function runCalls(
  agent: Agent,
  turn: Turn,
  { calls, view, signal }: Calls,
): Promise<'again' | 'cancelled'> {
  let cancelled = false;
  try {
    for (const batch of batches(calls, (call) => prepare(agent, turn, { view, call, signal }))) {
      if (signal.aborted) break;
      const running = batch.map((one) => runOne(agent, turn, { one, signal }));
      // A failure is met in its turn below; until then it must not count as unhandled.
      for (const outcome of running) outcome.catch(() => {});
      for (const [index, outcome] of running.entries()) {
        const callId = batch[index]?.call.callId ?? '';
        logResult(turn, { callId, limits: agent.limits }, await outcome);
      }
    }
  } catch (error) {
    if (!(error instanceof TurnCancelled)) throw error;
    cancelled = true;
  }
  if (!cancelled && !signal.aborted) return 'again';
  for (const event of closeCalls(turn.state, CANCELLED)) turn.append(event);
  return 'cancelled';
}

function prepare(
  agent: Agent,
  turn: Turn,
  { view, call, signal }: { view: ToolView; call: ModelCall; signal: AbortSignal },
): Prepared {
  const tool = view.find(call.name);
  if (!tool) {
    const known = view.names.join(', ');
    return { call, problem: `Unknown tool \`${call.name}\`. Known: ${known}.` };
  }
  const parsed = tool.parse(call.arguments);
  if (!parsed.ok) return { call, problem: parsed.problem };
  const { input } = parsed;
  const knobs = agent.knobs.inForce();
  const { facts, workspace } = surveyCall({ tool, input, signal }, agent.grounds, knobs);
  const decision = decide(facts, knobs, turn.state.grants);
  switch (decision.kind) {
    case 'refuse':
      return { call, problem: decision.reason };
    case 'run':
      return { call, tool, input, workspace, permission: undefined };
    case 'ask': {
      const { kind: _, ...permission } = decision;
      return { call, tool, input, workspace, permission };
    }
  }
}

// A call is prepared when its turn has come: what ran before it may have moved what it touches.
function* batches(
  calls: readonly ModelCall[],
  prepareCall: (call: ModelCall) => Prepared,
): Generator<Prepared[]> {
  let together: Prepared[] = [];
  for (const call of calls) {
    const one = prepareCall(call);
    if (runsAlone(one)) {
      if (together.length > 0) yield together;
      together = [];
      yield [one];
    } else {
      together.push(one);
    }
  }
  if (together.length > 0) yield together;
}

function runsAlone(one: Prepared): boolean {
  if ('problem' in one) return false;
  return one.permission !== undefined || one.tool.asksPerson || !one.tool.effects.readOnly;
}

async function runOne(
  agent: Agent,
  turn: Turn,
  { one, signal }: { one: Prepared; signal: AbortSignal },
): Promise<ToolOutcome> {
  if ('problem' in one) return errorOutcome(one.problem);
  const { call, tool, input, permission, workspace } = one;
  const { callId } = call;
  const ask = (question: Question) => askPerson(agent, turn, { question, signal });
  if (permission) {
    const refusal = refusalOf(await ask({ kind: 'permission', callId, ...permission }));
    if (refusal !== undefined) return errorOutcome(refusal);
  }
  turn.append({ type: 'tool/call', callId, name: tool.name, input });
  try {
    const outcome = await tool.run(input, {
      callId,
      workspace,
      signal,
      state: () => turn.state,
      ask,
      progress: (text) => agent.client.onProgress(callId, text),
    });
    return signal.aborted && outcome.isError ? withCancellation(outcome) : outcome;
  } catch (error) {
    if (error instanceof TurnCancelled) throw error;
    if (signal.aborted) return errorOutcome(CANCELLED);
    return errorOutcome(`\`${tool.name}\` failed: ${messageOf(error)}`);
  }
}

function withCancellation(outcome: ToolOutcome): ToolOutcome {
  return { ...outcome, content: [...outcome.content, { type: 'text', text: CANCELLED }] };
}

// A tool keeps within the limit by itself, in its own way; whatever one does, this much is sure.
const SLACK_BYTES = 4096;

function bounded(content: ResultBlock[], limits: Limits): ResultBlock[] {
  const bytesMax = limits.toolOutputBytesMax + SLACK_BYTES;
  return content.map((block) => {
    if (block.type !== 'text' || Buffer.byteLength(block.text) <= bytesMax) return block;
    const kept = new TextDecoder().decode(Buffer.from(block.text).subarray(0, bytesMax));
    return { type: 'text', text: `${kept}\n(cut at ${bytesMax} bytes)` };
  });
}

function logResult(
  turn: Turn,
  { callId, limits }: { callId: string; limits: Limits },
  outcome: ToolOutcome,
): void {
  for (const fact of outcome.facts ?? []) turn.append(fact);
  const { isError } = outcome;
  const content = bounded(outcome.content, limits);
  turn.append({ type: 'tool/result', callId, content, isError });
}
