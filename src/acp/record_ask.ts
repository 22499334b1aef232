import type { Question, Reply } from '../log/events.ts';
import type { Client } from '../loop/agent.ts';
import { toQuestionContent } from './question_form.ts';
import type { Answer, ScenarioDraft } from './scenario_draft.ts';

/** The person behind `ask`, with what they answer written down as a client would send it. */
export function recordAsk(ask: Client['ask'], draft: ScenarioDraft): Client['ask'] {
  return async (question, signal) => {
    const kind = question.kind === 'permission' ? 'permission' : 'elicitation';
    const answered = draft.asked(kind);
    const reply = await ask(question, signal);
    // Nobody is there: the turn ends as if it had been cancelled at this question.
    if (reply.outcome === 'cancelled' && !signal.aborted) draft.did({ op: 'cancel' });
    answered(kind === 'permission' ? toPermission(reply) : toElicitation(question, reply));
    return reply;
  };
}

function toPermission(reply: Reply): Answer | undefined {
  switch (reply.outcome) {
    case 'allow_once':
    case 'allow_always':
      return { permission: reply.outcome };
    case 'reject_once': {
      const { outcome: optionId, feedback: reason } = reply;
      return { permission: reason === undefined ? optionId : { optionId, reason } };
    }
    case 'approve':
    case 'keep_planning':
    case 'answered':
    case 'decline':
    case 'cancel':
    case 'cancelled':
    case 'failed':
      return undefined;
  }
}

function toElicitation(question: Question, reply: Reply): Answer | undefined {
  const accept = (content: Record<string, string | string[]>): Answer => ({
    elicitation: { action: 'accept', content },
  });
  switch (reply.outcome) {
    case 'approve':
    case 'keep_planning': {
      const { outcome: decision, feedback } = reply;
      return accept({ decision, ...(feedback === undefined ? {} : { feedback }) });
    }
    case 'answered':
      if (question.kind !== 'question') return undefined;
      return accept(toQuestionContent(question.questions, reply.answers));
    case 'decline':
      return { elicitation: { action: 'decline' } };
    case 'cancel':
    case 'cancelled':
    case 'failed':
    case 'allow_once':
    case 'allow_always':
    case 'reject_once':
      return undefined;
  }
}
