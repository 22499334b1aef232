import type { Question, Reply } from '../log/events.ts';
import type { Turn } from '../log/log.ts';
import type { Agent } from './agent.ts';

/** The person closed a question with `cancelled`: the turn is over. */
export class TurnCancelled extends Error {}

/** Asks with both halves in the log. An answer that comes after a cancellation does not count. */
export async function askPerson(
  agent: Agent,
  turn: Turn,
  { question, signal }: { question: Question; signal: AbortSignal },
): Promise<Reply> {
  const askId = agent.ids.next('ask');
  turn.append({ type: 'ask', askId, ...question });
  const reply = signal.aborted ? undefined : await agent.client.ask(question, signal);
  const settled: Reply = !reply || signal.aborted ? { outcome: 'cancelled' } : reply;
  turn.append({ type: 'answer', askId, ...settled });
  // ACP answers `cancelled` for a turn that is over: nothing more of this response may run.
  if (settled.outcome === 'cancelled') throw new TurnCancelled();
  return settled;
}

/** In the model's words: why a call did not run, or undefined when it may. */
export function refusalOf(reply: Reply): string | undefined {
  switch (reply.outcome) {
    case 'allow_once':
    case 'allow_always':
      return undefined;
    case 'reject_once': {
      const why = reply.feedback ? ` The user's reason:\n${reply.feedback}` : '';
      return `The user rejected this call; it did not run.${why}`;
    }
    case 'failed':
      return `This call did not run: asking for permission failed: ${reply.reason}`;
    case 'decline':
    case 'cancel':
    case 'cancelled':
    case 'approve':
    case 'keep_planning':
    case 'answered':
      return `The user did not permit this call (${reply.outcome}); it did not run.`;
  }
}
