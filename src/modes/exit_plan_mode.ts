import * as z from 'zod';
import type { Reply } from '../log/events.ts';
import {
  defineTool,
  errorOutcome,
  READ_ONLY,
  textOutcome,
  type ToolOutcome,
} from '../tools/tool.ts';
import { PLAN_MODE } from './definitions.ts';

/** The name of the tool through which the model leaves plan mode. */
export const EXIT_PLAN_MODE = 'exit_plan_mode';

const STAYS = 'Plan mode stays on.';

/**
 * Presents a plan and asks for its review. The only way out of plan mode for a model: an approval
 * is a person's act, and every other outcome leaves the mode as it is. The flip itself is no
 * business of the tool: the logged approval is a pending flip, and the next boundary applies it.
 */
export const exitPlanModeTool = defineTool({
  name: EXIT_PLAN_MODE,
  description:
    'Present your plan for review and, if the user approves it, leave plan mode. ' +
    'Call it once the plan is complete. The user may approve, or send feedback to keep planning.',
  input: () =>
    z.strictObject({
      plan: z
        .string()
        .regex(/\S/, 'must hold the whole plan, not blank')
        .describe('The whole plan as markdown, starting with a heading that names the work.'),
    }),
  effects: READ_ONLY,
  asksPerson: true,
  visible: (state) => state.mode === PLAN_MODE,
  card: ({ plan }) => ({
    title: planTitle(plan),
    kind: 'switch_mode',
    format: 'markdown',
    content: [{ type: 'text', text: plan }],
  }),
  async run({ plan }, { callId, state, ask }) {
    if (state().mode !== PLAN_MODE) {
      return errorOutcome('The session is not in plan mode, so there is no plan to review. Go on.');
    }
    if (state().approvedCall !== undefined) {
      return textOutcome(
        'The plan was already approved in this step; default mode follows with the next one.',
      );
    }
    return outcomeOf(await ask({ kind: 'review', callId, title: planTitle(plan) }));
  },
});

/** The plan's first heading outside code blocks, else its first line that is not blank. */
export function planTitle(plan: string): string {
  const lines = plan.replace(/^(```|~~~)[^]*?^\1/gm, '').split('\n');
  const heading = lines
    .map((line) => /^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1])
    .find(Boolean);
  const title = heading ?? plan.split('\n').find((line) => line.trim() !== '') ?? 'Plan';
  return title.trim().slice(0, 120);
}

function outcomeOf(reply: Reply): ToolOutcome {
  switch (reply.outcome) {
    case 'approve':
      if (reply.unreviewed) {
        return textOutcome(
          'The plan was approved by an option of the command line; no person has reviewed it. ' +
            'The session leaves plan mode with the next step: carry the plan out, and stop where ' +
            'a person should decide.',
        );
      }
      return textOutcome(
        'The user approved the plan. The session leaves plan mode with the next step: ' +
          `carry the plan out now.${quoted("The user's note", reply.feedback)}`,
      );
    case 'keep_planning':
      return errorOutcome(
        'The user wants to keep planning. Revise the plan and present it again with ' +
          `${EXIT_PLAN_MODE}.${quoted("The user's feedback", reply.feedback)}`,
      );
    case 'decline':
      return errorOutcome(
        `The user declined the review. ${STAYS} Revise the plan and present it again with ` +
          `${EXIT_PLAN_MODE}.`,
      );
    case 'cancel':
      return errorOutcome(
        `The user closed the review without an answer, so the plan is not approved. ${STAYS} ` +
          'Ask the user in prose what to change or how to go on.',
      );
    case 'cancelled':
      return errorOutcome(`The review was interrupted, so the plan is not approved. ${STAYS}`);
    case 'failed':
      return errorOutcome(
        `The plan could not be reviewed: ${reply.reason} ${STAYS} ` +
          'Show the plan in your answer and ask the user in prose how to go on.',
      );
    case 'answered':
    case 'allow_once':
    case 'allow_always':
    case 'reject_once':
      return errorOutcome(
        `The review came back as \`${reply.outcome}\`, which is no answer. ${STAYS}`,
      );
  }
}

// Verbatim, and last: whatever a person typed cannot be mistaken for the harness's words before it.
function quoted(label: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `\n\n${label}:\n${text}`;
}
