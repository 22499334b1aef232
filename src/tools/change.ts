import { createHash } from 'node:crypto';
import { UserError } from '../base/errors.ts';
import type { ResultBlock } from '../log/events.ts';
import { FILE_BYTES_MAX } from './disk.ts';
import { decodeText, encodeText } from './encoding.ts';
import type { TextFile } from './files.ts';
import { errorOutcome, type ToolContext, type ToolFact, type ToolOutcome } from './tool.ts';

/** Up to this many characters on a side, a diff holds both texts whole. */
const WHOLE_TEXT_MAX = 256 * 1024;
const CONTEXT_LINES = 3;

/** The fact that the model has seen the file at `path` (absolute) with these bytes. */
export function seenFact(path: string, bytes: Uint8Array): ToolFact {
  return { type: 'file/seen', path, sha256: digest(bytes) };
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The file that is about to change, or why it may not: it changed since the model last saw it. */
export async function openForChange(
  path: string,
  { state, workspace }: Pick<ToolContext, 'state' | 'workspace'>,
): Promise<{ current: TextFile | undefined } | { refusal: ToolOutcome }> {
  const current = await workspace.files.readText(path);
  const seen = state().filesSeen[path];
  if (!current || seen === undefined || seen === digest(encodeText(current, path))) {
    return { current };
  }
  const refusal = `${path} has changed since you last read it. Read it again, then decide anew.`;
  return { refusal: errorOutcome(refusal) };
}

/** Writes the change, and gives back its diff and the fact of what the model has now seen. */
export async function writeChange(
  change: { path: string; current: TextFile | undefined; text: string },
  { workspace }: Pick<ToolContext, 'workspace'>,
): Promise<{ diff: ResultBlock; facts: ToolFact[] }> {
  const { path, current, text } = change;
  const file: TextFile = { ...(current ?? NEW_FILE), text };
  const bytes = encodeText(file, path);
  if (bytes.includes(0) && !file.encoding.startsWith('utf-16')) {
    throw new UserError(
      `${path} would become a binary file, for the new text holds a NUL character; nothing was ` +
        'changed. Leave that character out.',
    );
  }
  if (bytes.length > FILE_BYTES_MAX) {
    throw new UserError(
      `${path} would have ${bytes.length} bytes, and at most ${FILE_BYTES_MAX} can be written; ` +
        'nothing was changed. Use bash for a change as large as that.',
    );
  }
  await workspace.files.writeText(path, file);
  return {
    // What was really written is shown, in the line endings that a reader would see.
    diff: toDiff(path, current?.text ?? null, decodeText(bytes, path).text),
    facts: [seenFact(path, bytes)],
  };
}

const NEW_FILE: Omit<TextFile, 'text'> = { encoding: 'utf-8', bom: false, eol: '\n' };

function toDiff(path: string, oldText: string | null, newText: string): ResultBlock {
  if (Math.max(oldText?.length ?? 0, newText.length) <= WHOLE_TEXT_MAX) {
    return { type: 'diff', path, oldText, newText };
  }
  const before = (oldText ?? '').split('\n');
  const after = newText.split('\n');
  const common = Math.min(before.length, after.length);
  let head = 0;
  while (head < common && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < common - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const region = (lines: string[]) =>
    lines
      .slice(Math.max(0, head - CONTEXT_LINES), lines.length - Math.max(0, tail - CONTEXT_LINES))
      .join('\n');
  return {
    type: 'diff',
    path,
    oldText: oldText === null ? null : region(before),
    newText: region(after),
  };
}
