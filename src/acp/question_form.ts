import type {
  ElicitationPropertySchema,
  ElicitationSchema,
} from '@agentclientprotocol/sdk/unstable';
import * as z from 'zod';
import { once } from '../base/once.ts';
import type { Reply, UserQuestion } from '../log/events.ts';
import { readElicitation } from './elicitation.ts';

const answersSchema = once(() => z.record(z.string(), z.union([z.string(), z.array(z.string())])));

const choiceKey = (index: number) => `question_${index + 1}`;
const textKey = (index: number) => `question_${index + 1}_text`;

/** One form for all questions: a choice where there are options, and free text for each. */
export function toQuestionForm(questions: readonly UserQuestion[]): {
  message: string;
  schema: ElicitationSchema;
} {
  const properties: Record<string, ElicitationPropertySchema> = {};
  for (const [index, asked] of questions.entries()) {
    if (asked.options?.length) properties[choiceKey(index)] = toChoice(asked);
    properties[textKey(index)] = toText(asked);
  }
  const [only] = questions;
  const message =
    questions.length === 1 && only ? only.question : `${questions.length} questions for you`;
  return { message, schema: { type: 'object', properties } };
}

function toChoice(asked: UserQuestion): ElicitationPropertySchema {
  const options = (asked.options ?? []).map(({ label, description }) => ({
    const: label,
    title: description ? `${label}: ${description}` : label,
  }));
  const label = { title: asked.header ?? asked.question, description: asked.question };
  return asked.multi_select
    ? { type: 'array', ...label, items: { anyOf: options } }
    : { type: 'string', ...label, oneOf: options };
}

function toText(asked: UserQuestion): ElicitationPropertySchema {
  if (!asked.options?.length) {
    return { type: 'string', title: asked.header ?? asked.question, description: asked.question };
  }
  return { type: 'string', title: 'Other', description: 'Your own words, beside or instead.' };
}

/** The answers in the order of the questions; each holds what was chosen, then what was written. */
export function readAnswers(response: unknown, questions: readonly UserQuestion[]): Reply {
  const read = readElicitation(response, answersSchema());
  if ('outcome' in read) return read;
  const answers: string[][] = [];
  for (const [index, asked] of questions.entries()) {
    const chosen = [read.content[choiceKey(index)] ?? []].flat();
    const labels = new Set((asked.options ?? []).map(({ label }) => label));
    const stranger = chosen.find((label) => !labels.has(label));
    if (stranger !== undefined) {
      const reason = `the client's answer ${JSON.stringify(stranger)} is none of the options.`;
      return { outcome: 'failed', reason };
    }
    const written = [read.content[textKey(index)] ?? []].flat().filter((text) => text !== '');
    answers.push([...chosen, ...written]);
  }
  return { outcome: 'answered', answers };
}

/** The content of the form in which these answers come back: what `readAnswers` reads. */
export function toQuestionContent(
  questions: readonly UserQuestion[],
  answers: readonly (readonly string[])[],
): Record<string, string | string[]> {
  const content: Record<string, string | string[]> = {};
  for (const [index, { options = [], multi_select: many }] of questions.entries()) {
    const labels = new Set(options.map(({ label }) => label));
    const given = answers[index] ?? [];
    const chosen = many
      ? given.filter((one) => labels.has(one))
      : given.find((one) => labels.has(one));
    const written = given.find((one) => !labels.has(one));
    if (chosen !== undefined) content[choiceKey(index)] = chosen;
    if (written !== undefined) content[textKey(index)] = written;
  }
  return content;
}
