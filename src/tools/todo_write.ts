import * as z from 'zod';
import type { TodoEntry } from '../log/events.ts';
import { defineTool, READ_ONLY, textOutcome } from './tool.ts';

const todo = () =>
  z.strictObject({
    content: z.string().regex(/\S/, 'must not be blank').describe('What is to be done.'),
    status: z.enum(['pending', 'in_progress', 'completed']),
    priority: z.enum(['high', 'medium', 'low']).default('medium'),
  });

/** Replaces the session's todo list. It touches nothing but the session, hence read-only. */
export const todoWriteTool = defineTool({
  name: 'todo_write',
  description:
    'Keep a todo list for work of several steps, so that the user sees how far it is. Each call ' +
    'replaces the whole list: send every entry, with one of them `in_progress` while you work on ' +
    'it, and mark an entry `completed` as soon as it is done. An empty list clears it.',
  input: () =>
    z.strictObject({
      todos: z.array(todo()).describe('The whole list, in the order of the work.'),
    }),
  effects: READ_ONLY,
  card: ({ todos }) => ({ title: `Update the todo list (${counts(todos)})`, kind: 'think' }),
  run: async ({ todos }) =>
    textOutcome(`The todo list is updated: ${counts(todos)}.`, [
      { type: 'todo/write', entries: todos },
    ]),
});

function counts(todos: readonly TodoEntry[]): string {
  if (todos.length === 0) return 'empty';
  const count = (status: TodoEntry['status']) =>
    todos.filter((entry) => entry.status === status).length;
  return (
    `${count('completed')} completed, ${count('in_progress')} in progress, ` +
    `${count('pending')} pending`
  );
}
