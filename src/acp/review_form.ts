import type { ElicitationSchema } from '@agentclientprotocol/sdk/unstable';
import * as z from 'zod';
import { once } from '../base/once.ts';
import type { Reply } from '../log/events.ts';
import { readElicitation } from './elicitation.ts';

/**
 * The form of a review. Nothing is required and nothing preset: some clients preselect the first
 * option of a required choice, and an approval must be a person's own act.
 */
export const REVIEW_SCHEMA: ElicitationSchema = {
  type: 'object',
  properties: {
    decision: {
      type: 'string',
      title: 'Decision',
      oneOf: [
        { const: 'keep_planning', title: 'Keep planning' },
        { const: 'approve', title: 'Approve the plan' },
      ],
    },
    feedback: {
      type: 'string',
      title: 'Feedback',
      description: 'What to change, or a note to go with your approval.',
    },
  },
};

const content = once(() =>
  z.object({
    decision: z.enum(['keep_planning', 'approve']).optional(),
    feedback: z.string().optional(),
  }),
);

/** The one line above the form. */
export function reviewMessage(title: string): string {
  return `Review the plan: ${title}`;
}

/**
 * What a person decided. No decision keeps planning; what does not fit the form decides nothing.
 */
export function readReview(response: unknown): Reply {
  const answer = readElicitation(response, content());
  if ('outcome' in answer) return answer;
  const { decision = 'keep_planning', feedback } = answer.content;
  return { outcome: decision, ...(feedback ? { feedback } : {}) };
}
