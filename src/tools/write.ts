import * as z from 'zod';
import { openForChange, writeChange } from './change.ts';
import { defineTool } from './tool.ts';
import { absolutePath } from './workspace.ts';

const input = () =>
  z.strictObject({
    path: z.string().min(1).describe('The file, relative to the working directory or absolute.'),
    content: z.string().describe('The whole new content.'),
  });

/** Writes a whole file, new or in place of what is there. */
export const writeTool = defineTool({
  name: 'write',
  description:
    'Write a whole file, creating it with its directories if needed. Replaces what is there; to ' +
    'change a part of a file, use edit.',
  input,
  effects: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  paths: ({ path }) => [path],
  card({ path, content }, cwd) {
    const absolute = absolutePath(cwd, path);
    return {
      title: `Write ${path}`,
      kind: 'edit',
      locations: [{ path: absolute }],
      content: [{ type: 'diff', path: absolute, oldText: null, newText: content }],
    };
  },
  async run({ path, content }, context) {
    const absolute = absolutePath(context.workspace.cwd, path);
    const opened = await openForChange(absolute, context);
    if ('refusal' in opened) return opened.refusal;
    const { current } = opened;
    const { diff, facts } = await writeChange({ path: absolute, current, text: content }, context);
    const text = `${current ? 'Replaced' : 'Created'} ${absolute}.`;
    return { content: [{ type: 'text', text }, diff], isError: false, facts };
  },
});
