import type { Question, Reply } from '../log/events.ts';

/** Asks the person at the terminal. */
export interface Ask {
  say: (text: string) => void;
  /** What was typed, without white space around it; undefined when the question was closed. */
  read: (prompt: string) => Promise<string | undefined>;
}

const CLOSED: Reply = { outcome: 'cancel' };

/** An approval is exactly one of a few words; nothing that only begins like one is taken for it. */
const YES = /^(y|yes)$/i;
const NO = /^(n|no)$/i;
const LIKE_YES = /^(y|yes|ok|okay|approve|approved|a)\b/i;

const REVIEW = `\
  y  approve        a  approve, with a note for the model
  n  keep planning  or write what to change`;

/** The review of the plan that is on the screen. Asks again until the answer is clear. */
export async function readReview({ say, read }: Ask): Promise<Reply> {
  say(REVIEW);
  for (;;) {
    const answer = await read('Your review: ');
    if (answer === undefined) return CLOSED;
    if (YES.test(answer)) return { outcome: 'approve' };
    if (/^a$/i.test(answer)) {
      const note = await read('Your note: ');
      return note === undefined ? CLOSED : { outcome: 'approve', feedback: note };
    }
    if (NO.test(answer)) {
      const change = await read('What to change (Enter for nothing special): ');
      return change === undefined ? CLOSED : { outcome: 'keep_planning', feedback: change };
    }
    if (answer.length > 1 && !LIKE_YES.test(answer)) {
      return { outcome: 'keep_planning', feedback: answer };
    }
    say(`That is not clear, so nothing is approved yet.\n${REVIEW}`);
  }
}

/** Whether the call that is on the screen may run. Asks again until the answer is clear. */
export async function readPermission(
  { say, read }: Ask,
  { outside, escalated, grant }: Extract<Question, { kind: 'permission' }>,
): Promise<Reply> {
  for (const path of outside) say(`  Outside the workspace: ${path}`);
  if (escalated) say('  Outside the sandbox: this command is not confined.');
  const choices = `y${grant ? ', s for this session' : ''}, n, or why not`;
  for (;;) {
    const answer = await read(`Allow? [${choices}] `);
    if (answer === undefined) return CLOSED;
    if (YES.test(answer)) return { outcome: 'allow_once' };
    if (grant && /^s$/i.test(answer)) return { outcome: 'allow_always' };
    if (NO.test(answer)) return { outcome: 'reject_once' };
    if (answer.length > 1 && !LIKE_YES.test(answer)) {
      return { outcome: 'reject_once', feedback: answer };
    }
    say(`That is not clear, so nothing is allowed yet: ${choices}.`);
  }
}
