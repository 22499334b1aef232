import { messageOf } from '../base/errors.ts';
import type { Turn } from '../log/log.ts';
import { foldRequest } from '../log/request.ts';
import { snapshotOf } from '../log/resume.ts';
import type { SeenMessage, SessionState } from '../log/state.ts';
import type { Model, RequestBody } from '../model/types.ts';
import type { Agent } from './agent.ts';
import type { KnobService } from './knobs.ts';

/** The share of the conversation, by its length, that stays as it is. */
const KEPT_SHARE = 0.2;

const INSTRUCTION = `Summarise the conversation so far, for yourself: it will be replaced by your
summary, and you will go on from it. Say what the user wants and decided, in their words where words
matter; what was found, with paths and names; what was changed, and how it was verified; what
failed; and what is left to do. Answer with the summary alone, and call no tool.`;

/** How a compaction came out; where it is not `done`, the session is as it was before. */
export type CompactionOutcome = { done: true } | { done: false; reason: string };

/** The window that a session has: the model's, or less where that is the limit. In tokens. */
export function windowOf({ knobs, limits }: Pick<Agent, 'knobs' | 'limits'>): number {
  return Math.min(knobs.inForce().model.contextTokens, limits.contextTokensMax);
}

/** Whether the window is full enough, by what the last answer cost. */
export function needsCompaction({ contextTokens = 0 }: SessionState, agent: Agent): boolean {
  return contextTokens >= (windowOf(agent) * agent.limits.contextPercentMax) / 100;
}

/**
 * Replaces all but the recent messages by a summary of the model. Mode, knobs and todos are no
 * messages, so it cannot touch them; the todo list and the plans are put into the summary's words.
 */
export async function runCompaction(
  agent: Agent,
  turn: Turn,
  signal: AbortSignal,
): Promise<CompactionOutcome> {
  const throughSeq = chooseCut(turn.state.messages);
  if (throughSeq === undefined)
    return { done: false, reason: 'there is nothing to summarise yet.' };
  const body = compactionRequest(turn.state, throughSeq);
  const compactionId = agent.ids.next('compaction');
  agent.client.onCompaction({ compactionId, status: 'in_progress' });
  const fail = (reason: string): CompactionOutcome => {
    const status = signal.aborted ? 'cancelled' : 'failed';
    agent.client.onCompaction({ compactionId, status, error: reason });
    return { done: false, reason };
  };
  try {
    const client = clientOf(body.model, agent.knobs);
    const { text, finish, usage } = await client.complete({ body, signal, onDelta() {} });
    if (text.trim() === '' || finish === 'cut' || finish === 'cancelled' || signal.aborted) {
      return fail(signal.aborted ? 'it was cancelled.' : 'the model gave no whole summary.');
    }
    const summary = withFacts(text.trim(), turn.state);
    const state = snapshotOf(turn.state);
    turn.append({
      type: 'compaction',
      compactionId,
      summary,
      throughSeq,
      state,
      ...(usage ? { usage } : {}),
    });
    return { done: true };
  } catch (error) {
    return fail(messageOf(error));
  }
}

// The request is the one of the last header, whatever model was picked since then.
function clientOf(name: string, knobs: KnobService): Model {
  const { model } = knobs.inForce();
  const asked = model.name === name ? model : knobs.models().find((one) => one.name === name);
  return (asked ?? model).client;
}

/**
 * The request for a summary: the conversation through `throughSeq`, the same bytes as ever, and
 * then the instruction. Throws when no header was logged yet.
 */
export function compactionRequest(state: SessionState, throughSeq: number): RequestBody {
  const messages = state.messages.filter(({ seq }) => seq <= throughSeq);
  const body = foldRequest({ ...state, messages });
  return { ...body, messages: [...body.messages, { role: 'user', content: INSTRUCTION }] };
}

// Cut right before a message of the user or the model, never between a call and its result.
function chooseCut(messages: readonly SeenMessage[]): number | undefined {
  const sizes = messages.map(({ message }) => JSON.stringify(message).length);
  const budget = sizes.reduce((sum, size) => sum + size, 0) * KEPT_SHARE;
  let cut: number | undefined;
  let kept = 0;
  for (let index = messages.length - 1; index > 0; index--) {
    kept += sizes[index] ?? 0;
    // What came last stays in any case, however long it is.
    if (cut !== undefined && kept > budget) break;
    const role = messages[index]?.message.role;
    if (role === 'user' || role === 'assistant') cut = index;
  }
  return cut === undefined ? undefined : messages[cut - 1]?.seq;
}

function withFacts(summary: string, { todos, plans }: SessionState): string {
  const list = todos.map(({ status, content }) => `- [${status}] ${content}`).join('\n');
  return [
    summary,
    ...(todos.length > 0 ? [`The todo list:\n${list}`] : []),
    ...(plans.presented === undefined ? [] : [`The plan under review:\n${plans.presented}`]),
    ...(plans.approved === undefined ? [] : [`The plan the user approved:\n${plans.approved}`]),
  ].join('\n\n');
}
