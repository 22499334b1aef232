import * as z from 'zod';
import type { Reply, UserQuestion } from '../log/events.ts';
import { titleOf } from './title.ts';
import { defineTool, errorOutcome, READ_ONLY, textOutcome, type ToolOutcome } from './tool.ts';

const IN_PROSE = 'Ask in your answer, in prose, and end your turn there.';

const notBlank = () => z.string().regex(/\S/, 'must not be blank');

const option = () =>
  z.strictObject({
    label: notBlank().describe('The answer as the user picks it, in a few words.'),
    description: z.string().optional().describe('What picking it means.'),
  });

const question = () =>
  z.strictObject({
    question: notBlank().describe('The whole question.'),
    header: z.string().optional().describe('A label of one or two words.'),
    options: z
      .array(option())
      .refine(
        (options) => new Set(options.map(({ label }) => label)).size === options.length,
        'holds the same label twice; each option needs a label of its own',
      )
      .optional()
      .describe('Answers to pick from. The user can always type another one instead.'),
    multi_select: z.boolean().optional().describe('Whether several options may be picked.'),
  });

/** Asks a person one to four questions; whatever does not come back as answers is an error. */
export const askUserQuestionTool = defineTool({
  name: 'ask_user_question',
  description:
    'Ask the user when a decision is theirs to make and you cannot settle it by looking. Ask ' +
    'only what changes your work, and everything you need to know at once.',
  input: () =>
    z.strictObject({
      questions: z.array(question()).min(1).max(4).describe('One to four questions.'),
    }),
  effects: READ_ONLY,
  asksPerson: true,
  card: ({ questions }) => ({ title: title(questions), kind: 'other' }),
  async run({ questions }, { callId, ask }) {
    return outcomeOf(await ask({ kind: 'question', callId, questions }), questions);
  },
});

function title(questions: readonly UserQuestion[]): string {
  const shown = titleOf(questions[0]?.question ?? '');
  return questions.length > 1 ? `${shown} (and ${questions.length - 1} more)` : shown;
}

function outcomeOf(reply: Reply, questions: readonly UserQuestion[]): ToolOutcome {
  switch (reply.outcome) {
    case 'answered':
      return textOutcome(
        questions
          .map(({ question: asked }, at) => answered(asked, reply.answers[at] ?? []))
          .join('\n\n'),
      );
    case 'decline':
      return errorOutcome(
        'The user declined to answer. Go on with your best judgement and say what you assumed.',
      );
    case 'cancel':
      return errorOutcome(
        'The user closed the questions without an answer. Do not ask them again in the same way: ' +
          'say in your answer what you need to know, or go on and say what you assumed.',
      );
    case 'cancelled':
      return errorOutcome('The turn was cancelled before the user answered.');
    case 'failed':
      return errorOutcome(`The questions could not be asked: ${reply.reason} ${IN_PROSE}`);
    case 'approve':
    case 'keep_planning':
    case 'allow_once':
    case 'allow_always':
    case 'reject_once':
      return errorOutcome(
        `The questions came back as \`${reply.outcome}\`, which is no answer. ${IN_PROSE}`,
      );
  }
}

// What a person typed stands verbatim under its question.
function answered(asked: string, answers: readonly string[]): string {
  if (answers.length === 0) return `Question: ${asked}\n(no answer)`;
  return [`Question: ${asked}`, ...answers.map((answer) => `Answer: ${answer}`)].join('\n');
}
