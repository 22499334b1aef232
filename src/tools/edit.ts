import * as z from 'zod';
import { openForChange, writeChange } from './change.ts';
import { findNearest } from './nearest.ts';
import { defineTool, errorOutcome, type ToolOutcome } from './tool.ts';
import { absolutePath } from './workspace.ts';

const input = () =>
  z
    .strictObject({
      path: z.string().min(1).describe('The file, relative to the working directory or absolute.'),
      old_string: z
        .string()
        .min(1, 'must not be empty; use write for a new file')
        .describe('The exact text to replace, with enough around it to be unique in the file.'),
      new_string: z.string().describe('What stands there afterwards.'),
      replace_all: z.boolean().optional().describe('Replace every occurrence, however many.'),
    })
    .refine(
      ({ old_string, new_string }) => old_string !== new_string,
      '`old_string` and `new_string` are the same; there is nothing to change',
    );

/** Replaces an exact text in a file. */
export const editTool = defineTool({
  name: 'edit',
  description:
    'Replace an exact text in a file. `old_string` must match character for character, without ' +
    'the line numbers of read, and be unique unless `replace_all` is set.',
  input,
  effects: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  paths: ({ path }) => [path],
  card({ path, old_string, new_string }, cwd) {
    const absolute = absolutePath(cwd, path);
    return {
      title: `Edit ${path}`,
      kind: 'edit',
      locations: [{ path: absolute }],
      content: [{ type: 'diff', path: absolute, oldText: old_string, newText: new_string }],
    };
  },
  async run(call, context) {
    const path = absolutePath(context.workspace.cwd, call.path);
    const opened = await openForChange(path, context);
    if ('refusal' in opened) return opened.refusal;
    const { current } = opened;
    if (!current) return errorOutcome(`${path} does not exist. Use write to create it.`);
    const fits = (text: string) => (current.eol === '\r\n' ? text.replaceAll('\r\n', '\n') : text);
    const wanted = fits(call.old_string);
    const parts = current.text.split(wanted);
    const count = parts.length - 1;
    if (count === 0) return missed(path, current.text, wanted);
    if (call.replace_all !== true) {
      const places = findPlaces(current.text, wanted);
      if (places.length > 1) return ambiguous(path, current.text, places);
    }
    const text = parts.join(fits(call.new_string));
    const { diff, facts } = await writeChange({ path, current, text }, context);
    const said = `Edited ${path}${count > 1 ? ` in ${count} places` : ''}.`;
    return { content: [{ type: 'text', text: said }, diff], isError: false, facts };
  },
});

const LINES_SHOWN_MAX = 40;
const LINE_LENGTH_MAX = 500;

function missed(path: string, text: string, wanted: string): ToolOutcome {
  const start = `\`old_string\` does not occur in ${path}; nothing was changed.`;
  const nearest = findNearest(text, wanted);
  if (!nearest) return errorOutcome(`${start} Read the file and copy the text exactly.`);
  const { line, onlyWhitespace } = nearest;
  const how = onlyWhitespace ? ' Only white space differs:' : '';
  const shown = nearest.lines.slice(0, LINES_SHOWN_MAX).map((one, index) => {
    const letters = one.slice(0, LINE_LENGTH_MAX).replace(/[\uD800-\uDBFF]$/, '');
    const cut = letters.length < one.length ? '…' : '';
    return `${String(line + index).padStart(6)}\t${letters}${cut}`;
  });
  const more = nearest.lines.length - shown.length;
  const rest = more > 0 ? `\n(and ${more} more lines)` : '';
  return errorOutcome(
    `${start} The nearest text is at line ${line}.${how}\n${shown.join('\n')}${rest}`,
  );
}

// Those that overlap count too: which of them is meant is just as open.
function findPlaces(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) places.push(at);
  return places;
}

const LINES_NAMED_MAX = 20;

function ambiguous(path: string, text: string, places: readonly number[]): ToolOutcome {
  const lines = places
    .slice(0, LINES_NAMED_MAX)
    .map((place) => text.slice(0, place).split('\n').length);
  const named = lines.join(', ');
  const more = places.length > LINES_NAMED_MAX ? ', …' : '';
  return errorOutcome(
    `\`old_string\` occurs ${places.length} times in ${path}, at lines ${named}${more}; ` +
      'nothing was changed. Add text around it until it is unique, or set `replace_all`.',
  );
}
