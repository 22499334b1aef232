import { existsSync, promises } from 'node:fs';
import { basename, dirname } from 'node:path';
import * as z from 'zod';
import { UserError } from '../base/errors.ts';
import { encodeText } from './encoding.ts';
import { seenFact } from './change.ts';
import { findNearestNames } from './nearest.ts';
import { defineTool, errorOutcome, READ_ONLY, type ToolOutcome } from './tool.ts';
import { absolutePath, type Workspace } from './workspace.ts';

const LINES_DEFAULT = 2000;
const LINE_LENGTH_MAX = 2000;
const IMAGE_BYTES_MAX = 5 * 1024 * 1024;

const input = () =>
  z.strictObject({
    path: z.string().min(1).describe('The file, relative to the working directory or absolute.'),
    offset: z.int().min(1).optional().describe('The first line to read, counted from 1.'),
    limit: z
      .int()
      .min(1)
      .optional()
      .describe(`How many lines to read; ${LINES_DEFAULT} if left out.`),
  });

/** Reads a text file with numbered lines, or an image. */
export const readTool = defineTool({
  name: 'read',
  description:
    'Read a text file: each line with its number and a tab before it. Images (png, jpeg, gif, ' +
    'webp) are shown as such. For a long file, read the part that matters with offset and limit.',
  input,
  effects: READ_ONLY,
  paths: ({ path }) => [path],
  card({ path, offset, limit }, cwd) {
    const range = limit
      ? ` (${offset ?? 1}-${(offset ?? 1) + limit - 1})`
      : offset
        ? ` (${offset}-)`
        : '';
    return {
      title: `Read ${path}${range}`,
      kind: 'read',
      locations: [{ path: absolutePath(cwd, path), line: offset ?? 1 }],
    };
  },
  async run({ path, offset = 1, limit = LINES_DEFAULT }, { workspace }) {
    const absolute = absolutePath(workspace.cwd, path);
    const { files } = workspace;
    try {
      const bytes = await files.readBytes(absolute).catch(() => undefined);
      const mimeType = bytes && imageType(bytes);
      if (mimeType && !workspace.images) {
        return errorOutcome(`${absolute} is an image, and this model reads none.`);
      }
      if (mimeType) return withFact(showImage(absolute, bytes, mimeType), absolute, bytes);
      const file = await files.readText(absolute);
      if (!file) throw new UserError(`${absolute} cannot be read: there is no such file.`);
      const lines = file.text.split('\n');
      // The break that ends the last line starts no further one.
      if (lines.at(-1) === '') lines.pop();
      const shown = showLines(lines, { path: absolute, offset, limit, workspace });
      return withFact(shown, absolute, encodeText(file, absolute));
    } catch (error) {
      return errorOutcome(await explain(absolute, error));
    }
  },
});

async function explain(path: string, error: unknown): Promise<string> {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes('it is a directory')) return `${message} Use glob to see what is in it.`;
  if (!message.includes('there is no such file')) return message;
  let directory = dirname(path);
  if (!existsSync(directory)) {
    while (!existsSync(directory)) directory = dirname(directory);
    return `${message} The deepest directory of its path that exists is ${directory}.`;
  }
  const alike = findNearestNames(await promises.readdir(directory).catch(() => []), basename(path));
  return alike.length === 0 ? message : `${message} In that directory: ${alike.join(', ')}.`;
}

// What was not shown was not seen: a change must not pass for one that the model knows.
function withFact(outcome: ToolOutcome, path: string, bytes: Buffer): ToolOutcome {
  return outcome.isError ? outcome : { ...outcome, facts: [seenFact(path, bytes)] };
}

const IMAGE_TYPES: readonly [mimeType: string, magic: RegExp][] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];

function imageType(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 16);
  return IMAGE_TYPES.find(([, magic]) => magic.test(head))?.[0];
}

function showImage(path: string, bytes: Buffer, mimeType: string): ToolOutcome {
  if (bytes.length > IMAGE_BYTES_MAX) {
    return errorOutcome(
      `${path} is an image of ${bytes.length} bytes; at most ${IMAGE_BYTES_MAX} can be shown.`,
    );
  }
  return {
    content: [
      { type: 'text', text: `${path} is an image; it follows after the results.` },
      { type: 'image', mimeType, data: bytes.toString('base64') },
    ],
    isError: false,
  };
}

interface Range {
  path: string;
  offset: number;
  limit: number;
  workspace: Workspace;
}

function showLines(
  lines: readonly string[],
  { path, offset, limit, workspace }: Range,
): ToolOutcome {
  if (lines.length === 0)
    return { content: [{ type: 'text', text: '(empty file)' }], isError: false };
  if (offset > lines.length) {
    return errorOutcome(`${path} has ${lines.length} lines; there is no line ${offset}.`);
  }
  const shown: string[] = [];
  let bytes = 0;
  for (const [index, line] of lines.slice(offset - 1, offset - 1 + limit).entries()) {
    const cut = line.length > LINE_LENGTH_MAX;
    // Half a pair of surrogates would be no valid text for a provider.
    const head = line.slice(0, LINE_LENGTH_MAX).replace(/[\uD800-\uDBFF]$/, '');
    const text = cut ? `${head}… (${line.length} characters)` : line;
    const numbered = `${String(offset + index).padStart(6)}\t${text}`;
    bytes += Buffer.byteLength(numbered) + 1;
    if (bytes > workspace.limits.toolOutputBytesMax && shown.length > 0) break;
    shown.push(numbered);
  }
  const next = offset + shown.length;
  const left = lines.length - next + 1;
  const trailer = left > 0 ? `\n(${left} more lines; go on with offset ${next})` : '';
  return { content: [{ type: 'text', text: `${shown.join('\n')}${trailer}` }], isError: false };
}
