import type { Question, Reply, StopReason } from '../../log/events.ts';
import type { Finish } from '../../model/types.ts';
import type { CallCourse, HeaderPart } from './entries.ts';

/** What became of a review, in a word or two; `tone` says how it went. */
export interface Verdict {
  text: string;
  tone: 'good' | 'bad' | 'open';
}

/** What came back to a question. */
export function describeReply(reply: Reply): Verdict {
  switch (reply.outcome) {
    case 'approve':
      return reply.unreviewed
        ? { text: 'approved by an option of the command line, read by nobody', tone: 'open' }
        : { text: 'approved', tone: 'good' };
    case 'keep_planning':
      return { text: 'keep planning', tone: 'bad' };
    case 'reject_once':
      return { text: 'rejected', tone: 'bad' };
    case 'answered':
      return { text: 'answered', tone: 'good' };
    case 'allow_once':
      return { text: 'allowed once', tone: 'good' };
    case 'allow_always':
      return { text: 'allowed for the session', tone: 'good' };
    case 'decline':
      return { text: 'declined', tone: 'bad' };
    case 'cancel':
      return { text: 'closed without an answer', tone: 'bad' };
    case 'cancelled':
      return { text: 'cancelled', tone: 'bad' };
    case 'failed':
      return { text: `could not be asked: ${reply.reason}`, tone: 'bad' };
  }
}

/** How the review of a plan, or another question, stands. */
export function verdictOf({ question, reply, result }: CallCourse): Verdict {
  if (reply) return describeReply(reply);
  if (question)
    return { text: result ? 'no answer came back' : 'waits for an answer', tone: 'open' };
  return { text: 'not reviewed', tone: 'open' };
}

/** What a person wrote along with a decision. */
export function feedbackOf(reply: Reply | undefined): string | undefined {
  return reply && 'feedback' in reply ? reply.feedback : undefined;
}

/** What made a call a matter for a person. */
export function describePermission(question: Extract<Question, { kind: 'permission' }>): string {
  const reasons = [
    ...(question.outside.length > 0
      ? [`touches ${question.outside.join(', ')}, outside the workspace`]
      : []),
    ...(question.escalated ? ['leaves the sandbox'] : []),
  ];
  return reasons.length > 0 ? `Permission asked: it ${reasons.join(', and ')}` : 'Permission asked';
}

/** How a turn ended; undefined where it simply did. */
export function describeStop(reason: StopReason): string | undefined {
  switch (reason) {
    case 'end_turn':
      return undefined;
    case 'max_tokens':
      return 'stopped: the answer reached its limit of tokens';
    case 'max_turn_requests':
      return 'stopped: the limit of requests for one turn was reached';
    case 'refusal':
      return 'the model refused';
    case 'cancelled':
      return 'cancelled';
    case 'failed':
      return 'failed';
    case 'interrupted':
      return 'interrupted: its process ended before the turn did';
  }
}

/** Why an answer ends where it does; undefined where it is whole. */
export function describeFinish(finish: Finish): string | undefined {
  switch (finish) {
    case 'stop':
    case 'tool_calls':
      return undefined;
    case 'length':
      return 'cut: the limit of tokens was reached';
    case 'content_filter':
      return "cut by the provider's content filter";
    case 'cut':
      return 'cut: the stream broke off';
    case 'cancelled':
      return 'cut: cancelled';
  }
}

/** What a request carries, or what is new in it. */
export function describeHeader(header: HeaderPart): string {
  const settings = Object.entries(header.settings).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const model = [`model ${header.model || '(unnamed)'}`, ...settings].join(', ');
  if (header.reason === 'initial') return `First request: ${model}`;
  const changes = [
    ...header.removed.map((name) => `− ${name}`),
    ...header.added.map((name) => `+ ${name}`),
    ...header.changed.map((name) =>
      name === 'the model' || name === 'the settings' ? model : `${name} changed`,
    ),
  ];
  return `Requests from here on: ${[...new Set(changes)].join(', ')}`;
}
