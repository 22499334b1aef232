import { expect, test } from 'vitest';
import { todoWriteTool as tool } from '../../src/tools/todo_write.ts';
import type { ToolContext } from '../../src/tools/tool.ts';

async function call(args: object) {
  const parsed = tool.parse(JSON.stringify(args));
  if (!parsed.ok) throw new Error(parsed.problem);
  // The tool uses no port at all.
  const outcome = await tool.run(parsed.input, {} as ToolContext);
  return { outcome, card: tool.card(parsed.input, '/') };
}

test('the whole list becomes a fact, with the priority filled in', async () => {
  const todos = [
    { content: 'Read', status: 'completed', priority: 'high' },
    { content: 'Write', status: 'in_progress' },
    { content: 'Test', status: 'pending' },
  ];
  const { outcome, card } = await call({ todos });
  expect(outcome).toEqual({
    content: [
      {
        type: 'text',
        text: 'The todo list is updated: 1 completed, 1 in progress, 1 pending.',
      },
    ],
    isError: false,
    facts: [
      {
        type: 'todo/write',
        entries: [
          { content: 'Read', status: 'completed', priority: 'high' },
          { content: 'Write', status: 'in_progress', priority: 'medium' },
          { content: 'Test', status: 'pending', priority: 'medium' },
        ],
      },
    ],
  });
  expect(card).toEqual({
    title: 'Update the todo list (1 completed, 1 in progress, 1 pending)',
    kind: 'think',
  });
});

test('an empty list clears it', async () => {
  const { outcome } = await call({ todos: [] });
  expect(outcome.facts).toEqual([{ type: 'todo/write', entries: [] }]);
  expect(outcome.content).toEqual([{ type: 'text', text: 'The todo list is updated: empty.' }]);
});

test.each([
  [{}, '`todos`'],
  [{ todos: [{ content: ' ', status: 'pending' }] }, '`todos.0.content`: must not be blank'],
  [{ todos: [{ content: 'a', status: 'done' }] }, '`todos.0.status`'],
  [{ todos: [{ content: 'a', status: 'pending', id: 1 }] }, 'id'],
])('%j is refused, and the reason is told', (args, words) => {
  const parsed = tool.parse(JSON.stringify(args));
  expect(parsed.ok ? '' : parsed.problem.split('\nCall it again')[0]).toContain(words);
});

test('changes nothing but the session, and never counts as dangerous', () => {
  expect(tool.effects).toMatchObject({ readOnly: true, destructive: false });
  expect(tool.schema().function.parameters).toMatchObject({ required: ['todos'] });
});
