import type { Reply, UserQuestion } from '../log/events.ts';
import type { Ask } from './review.ts';

/** The model's questions, one after the other: options by their numbers, or the person's words. */
export async function askQuestions(ask: Ask, questions: readonly UserQuestion[]): Promise<Reply> {
  const answers: string[][] = [];
  for (const question of questions) {
    const answer = await askOne(ask, question);
    if (answer === undefined) return { outcome: 'cancel' };
    answers.push(answer);
  }
  return { outcome: 'answered', answers };
}

async function askOne(
  { say, read }: Ask,
  { question, options = [], multi_select = false }: UserQuestion,
): Promise<string[] | undefined> {
  const lines = options.map(
    ({ label, description }, index) =>
      `  ${index + 1}  ${label}${description === undefined ? '' : `: ${description}`}`,
  );
  say([`? ${question}`, ...lines].join('\n'));
  const [number, numbers] = ['A number, or your own words: ', 'Numbers, or your own words: '];
  const prompt = options.length === 0 ? 'Your answer: ' : multi_select ? numbers : number;
  for (;;) {
    const answer = await read(prompt);
    if (answer === undefined) return undefined;
    if (answer === '') return [];
    if (options.length === 0 || !/^\d+([\s,]+\d+)*$/.test(answer)) return [answer];
    const chosen = answer.split(/[\s,]+/).map((word) => options[Number(word) - 1]?.label);
    const known = chosen.filter((label) => label !== undefined);
    if (known.length === chosen.length && (multi_select || known.length === 1)) return known;
    say(`  ${multi_select ? 'Numbers' : 'One number'} from 1 to ${options.length}, please.`);
  }
}
