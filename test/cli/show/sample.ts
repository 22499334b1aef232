import type { Fact } from '../../../src/log/events.ts';
import { callOf, headerOf, ran, said, sessionOf, spoke } from './session.ts';

const PLAN = `# Greet people in their language

\`greet()\` knows **one** language today, and says \`Hello, undefined!\` without a name.

## Steps

1. \`src/greet.ts\`: take \`{ name = 'friend', language = 'en' }\`.
2. \`src/words.ts\` (new): one word for each language.

   \`\`\`ts
   export const HELLO = { en: 'Hello', de: 'Hallo', ar: 'مرحبا' } as const;
   \`\`\`

3. Check with \`npm test\`.

| language | word | direction |
|---|---|--:|
| English | Hello | ltr |
| Arabic | مرحبا | rtl |

> Nothing else imports \`greet\`, so no caller changes.
`;

const OLD = Array.from({ length: 12 }, (_, index) => `// line ${index + 1}`).join('\n');
const GREET = 'export function greet(name: string): string {\n  return `Hello, ${name}!`;\n}\n';
const NEW_GREET = `import { HELLO, type Language } from './words.ts';

export function greet({ name = 'friend', language = 'en' }: { name?: string; language?: Language }): string {
  return \`\${HELLO[language]}, \${name}!\`;
}
`;

const look = callOf('c1', 'bash', { command: 'rg -n greet src && cat src/greet.ts' });
const find = callOf('c2', 'grep', { pattern: 'greet\\(' });
const ask = callOf('c3', 'ask_user_question', { questions: [{ question: 'Which languages?' }] });
const first = callOf('p1', 'exit_plan_mode', { plan: '# Greet\n\nTake a language.' });
const second = callOf('p2', 'exit_plan_mode', { plan: PLAN });
const todo = callOf('c4', 'todo_write', {
  todos: [{ content: 'greet.ts', status: 'in_progress', priority: 'high' }],
});
const write = callOf('c5', 'write', { path: 'src/words.ts', content: 'x' });
const edit = callOf('c6', 'edit', { path: 'src/greet.ts', old_string: 'a', new_string: 'b' });
const test = callOf('c7', 'bash', { command: 'npm test\necho "$?"' });
const foreign = callOf('c8', 'mcp__tickets__close', { id: 42, comment: 'Done in this branch.' });

const planned: Fact[] = [
  { type: 'mode/intent', mode: 'plan' },
  { type: 'turn/start', turn: 1 },
  { type: 'mode/set', mode: 'plan' },
  said('Greet people in their own language.\nA missing name should not show as "undefined".'),
  { type: 'request/header', reason: 'initial', header: headerOf('plan') },
  { type: 'retry', attempt: 1, reason: '429 Rate limit reached for gpt-5', delayMs: 1000 },
  spoke(
    {
      reasoning: 'I am planning, so I only look. The function is small; I read it first.',
      text: 'I look at what calls `greet` today.',
      calls: [look, find, ask],
    },
    [3460, 0, 212],
  ),
  { type: 'ask', askId: 'a1', callId: 'c1', kind: 'permission', outside: [] },
  { type: 'answer', askId: 'a1', outcome: 'allow_always' },
  ...ran(look, `\u001b[35msrc/greet.ts\u001b[0m:1:${GREET}`),
  ...ran(find, 'src/greet.ts\n1:export function greet(name: string): string {'),
  {
    type: 'ask',
    askId: 'a2',
    callId: 'c3',
    kind: 'question',
    questions: [{ question: 'Which languages should it know?', options: [{ label: 'English' }] }],
  },
  { type: 'answer', askId: 'a2', outcome: 'answered', answers: [['English', 'Arabic, please']] },
  ...ran(ask, 'English, Arabic, please'),
  spoke({ calls: [first] }, [4100, 3328, 180]),
  { type: 'ask', askId: 'a3', callId: 'p1', kind: 'review', title: 'Greet' },
  { type: 'answer', askId: 'a3', outcome: 'keep_planning', feedback: 'Say where the words live.' },
  ...ran(first, 'The user wants to keep planning.', true),
  spoke({ calls: [second] }, [4400, 4096, 640]),
  { type: 'ask', askId: 'a4', callId: 'p2', kind: 'review', title: 'Greet people' },
  {
    type: 'answer',
    askId: 'a4',
    outcome: 'approve',
    feedback: 'Good. One line for the signature.',
  },
  ...ran(second, 'The user approved the plan.'),
];

const carriedOut: Fact[] = [
  { type: 'mode/set', mode: 'default' },
  { type: 'request/header', reason: 'changed', header: headerOf('default') },
  spoke({ reasoning: 'Approved. First the words.', calls: [todo, write, edit] }, [4900, 1024, 420]),
  {
    type: 'todo/write',
    entries: [
      { content: 'src/words.ts', status: 'completed', priority: 'high' },
      { content: 'src/greet.ts', status: 'in_progress', priority: 'high' },
      { content: 'Run the tests', status: 'pending', priority: 'medium' },
    ],
  },
  ...ran(todo, 'The todo list is updated.'),
  ...ran(write, [
    { type: 'text', text: 'Wrote src/words.ts.' },
    {
      type: 'diff',
      path: '/home/ada/greeter/src/words.ts',
      oldText: null,
      newText: "export const HELLO = { en: 'Hello', ar: 'مرحبا' } as const;\n",
    },
  ]),
  ...ran(edit, [
    { type: 'text', text: 'Edited src/greet.ts.' },
    {
      type: 'diff',
      path: '/home/ada/greeter/src/greet.ts',
      oldText: `${GREET}${OLD}\nlast`,
      newText: `${NEW_GREET}${OLD}\nlast\n`,
    },
  ]),
  spoke({ text: 'Now the tests.', calls: [test] }, [5600, 4864, 96]),
  { type: 'ask', askId: 'a5', callId: 'c7', kind: 'permission', outside: [], escalated: true },
  { type: 'answer', askId: 'a5', outcome: 'reject_once', feedback: 'Inside the sandbox, please.' },
  ...ran(test, 'The user rejected this call.\n\nTheir reason:\nInside the sandbox, please.', true),
  spoke({ text: 'It is half', partial: true, finish: 'cut' }, [5700, 5600, 12]),
  spoke(
    {
      text: 'Done: `greet({})` says "Hello, friend!", see [the words](https://example.org/words).',
    },
    [5800, 5632, 150],
  ),
  { type: 'session/title', title: 'Greet people in their own language', source: 'auto' },
  { type: 'turn/end', turn: 1, stopReason: 'end_turn' },
];

const further: Fact[] = [
  { type: 'knob/set', id: 'model', value: 'openai/gpt-5-mini' },
  { type: 'turn/start', turn: 2 },
  { type: 'mode/set', mode: 'review' },
  said('Look over it and close the ticket.'),
  { type: 'context/message', source: 'mode', text: 'The user switched to review mode.' },
  { type: 'request/header', reason: 'changed', header: headerOf('default', 'gpt-5-mini') },
  {
    type: 'compaction',
    compactionId: 'k',
    summary: '- `greet` takes a language.\n- The words live in `src/words.ts`.',
    throughSeq: 5,
    state: {},
    usage: { inputTokens: 6100, outputTokens: 210, cachedTokens: 0 },
  },
  spoke({ calls: [foreign] }, [2900, 0, 60]),
  ...ran(foreign, '{"closed": true}'),
  { type: 'turn/end', turn: 2, stopReason: 'failed', error: '500 The server had an error.' },
];

/** A session in which nearly everything happens that can happen. */
export const SAMPLE = sessionOf(...planned, ...carriedOut, ...further);
