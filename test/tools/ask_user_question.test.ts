import { expect, test } from 'vitest';
import type { Question, Reply } from '../../src/log/events.ts';
import { askUserQuestionTool as tool } from '../../src/tools/ask_user_question.ts';
import type { ToolContext } from '../../src/tools/tool.ts';

const QUESTIONS = [
  {
    question: 'Which database?',
    header: 'Database',
    options: [{ label: 'SQLite', description: 'One file' }, { label: 'Postgres' }],
    multi_select: true,
  },
  { question: 'Anything else?' },
];

async function call(reply: Reply) {
  const asked: Question[] = [];
  const parsed = tool.parse(JSON.stringify({ questions: QUESTIONS }));
  if (!parsed.ok) throw new Error(parsed.problem);
  // The tool uses no port but these.
  const context = {
    callId: 'call_1',
    ask: async (question: Question) => {
      asked.push(question);
      return reply;
    },
  } as unknown as ToolContext;
  const { content, isError } = await tool.run(parsed.input, context);
  const [block] = content;
  return { text: block?.type === 'text' ? block.text : '', isError, asked };
}

test('asks all questions at once and hands the answers back verbatim', async () => {
  const result = await call({
    outcome: 'answered',
    answers: [['SQLite', 'or  "DuckDB"\nif you must'], []],
  });
  expect(result).toEqual({
    asked: [{ kind: 'question', callId: 'call_1', questions: QUESTIONS }],
    isError: false,
    text: [
      'Question: Which database?',
      'Answer: SQLite',
      'Answer: or  "DuckDB"\nif you must',
      '',
      'Question: Anything else?',
      '(no answer)',
    ].join('\n'),
  });
});

test('answers that are missing count as none', async () => {
  const { text } = await call({ outcome: 'answered', answers: [['SQLite']] });
  expect(text).toMatch(/Question: Anything else\?\n\(no answer\)$/);
});

test.each([
  [{ outcome: 'decline' }, 'declined to answer'],
  [{ outcome: 'cancel' }, 'without an answer'],
  [{ outcome: 'cancelled' }, 'cancelled before the user answered'],
  [{ outcome: 'failed', reason: 'The client has no forms.' }, 'The client has no forms. Ask in'],
  [{ outcome: 'failed', reason: 'The client has no forms.' }, 'in prose'],
  [{ outcome: 'approve' }, '`approve`, which is no answer'],
] satisfies [Reply, string][])('%j is an error that says how to go on', async (reply, words) => {
  const { text, isError } = await call(reply);
  expect(text).toContain(words);
  expect(isError).toBe(true);
});

test.each([
  [{ questions: [] }, '`questions`'],
  [{ questions: Array.from({ length: 5 }, () => ({ question: 'Why?' })) }, '`questions`'],
  [{ questions: [{ question: ' ' }] }, '`questions.0.question`: must not be blank'],
  [
    { questions: [{ question: 'Why?', options: [{ label: ' ' }] }] },
    '`questions.0.options.0.label`: must not be blank',
  ],
  [
    { questions: [{ question: 'Why?', options: [{ label: 'a' }, { label: 'a' }] }] },
    '`questions.0.options`: holds the same label twice',
  ],
  [{ questions: [{ question: 'Why?', choices: [] }] }, 'choices'],
])('%j is refused, and the reason is told', (args, words) => {
  const parsed = tool.parse(JSON.stringify(args));
  expect(parsed.ok ? '' : parsed.problem.split('\nCall it again')[0]).toContain(words);
});

test('the card is titled by the first question', () => {
  expect(tool.card({ questions: [{ question: 'Why?\nReally.' }] }, '/').title).toBe('Why?…');
  expect(tool.card({ questions: QUESTIONS }, '/').title).toBe('Which database? (and 1 more)');
});

test('asks a person, and so never runs beside another call', () => {
  expect(tool.asksPerson).toBe(true);
  expect(tool.effects).toMatchObject({ readOnly: true, destructive: false });
});
