import * as z from 'zod';
import { messageOf } from '../base/errors.ts';
import { findProgram } from '../sandbox/programs.ts';
import { filterByGlob } from './glob_filter.ts';
import {
  chooseWithRipgrep,
  type FileMatches,
  type SearchFiles,
  searchHere,
} from './grep_search.ts';
import { toRipgrepPattern } from './grep_rg.ts';
import { findSearchRoot, shownPath } from './search_root.ts';
import { defineTool, errorOutcome, READ_ONLY, textOutcome, type Tool } from './tool.ts';
import { toNote, withoutLarge } from './too_large.ts';
import { walkFiles } from './walk.ts';
import { absolutePath, type Workspace } from './workspace.ts';

const CANCELLED = 'The search was cancelled before it was through.';
const LINE_LENGTH_MAX = 500;
// Files are searched in batches: their names must fit on a command line.
const BATCH_FILES_MAX = 500;

const input = () =>
  z.strictObject({
    pattern: z.string().min(1).describe('A JavaScript regular expression, matched line by line.'),
    path: z
      .string()
      .min(1)
      .optional()
      .describe('A directory or file; the working directory if left out.'),
    glob: z
      .string()
      .min(1)
      .optional()
      .describe('Only files whose path matches, such as `**/*.ts`.'),
    ignore_case: z.boolean().optional().describe('Whether letters match in either case.'),
    output_mode: z
      .enum(['content', 'files', 'count'])
      .optional()
      .describe('The matching lines (default), the files, or the number of matches in each.'),
    context: z.int().min(0).max(20).optional().describe('Lines to show around each match.'),
    limit: z.int().min(1).optional().describe('The most lines of output.'),
  });

type Input = z.output<ReturnType<typeof input>>;

/** Searches in files. `findRipgrep` says where ripgrep is; without it the search is done here. */
export function createGrepTool(findRipgrep: () => string | undefined): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Search in files for a regular expression. Files that .gitignore names and binary files ' +
      'are left out. Output is `path:line:text`.',
    input,
    effects: READ_ONLY,
    paths: ({ path }) => (path === undefined ? [] : [path]),
    card: ({ pattern, path }, cwd) => ({
      title: `Search for ${JSON.stringify(pattern)}${path === undefined ? '' : ` in ${path}`}`,
      kind: 'search',
      ...(path === undefined ? {} : { locations: [{ path: absolutePath(cwd, path) }] }),
    }),
    async run(call, { workspace, signal }) {
      const { cwd, limits } = workspace;
      const root = await findSearchRoot(cwd, call.path);
      if ('problem' in root) return errorOutcome(root.problem);
      const page = createPage(call.limit ?? Infinity, limits.toolOutputBytesMax);
      const tooLarge: string[] = [];
      try {
        const find = chooseSearch(call, workspace, findRipgrep);
        const files = withoutLarge(filesOf(root, call.glob, signal), tooLarge);
        for await (const found of searchAll(files, find, signal)) {
          page.add(toLines(found, shownPath(cwd, found.path), call));
        }
      } catch (error) {
        return errorOutcome(`grep could not search for ${call.pattern}: ${messageOf(error)}`);
      }
      if (signal.aborted) return errorOutcome(CANCELLED);
      const text = page.text() || `No matches for ${call.pattern} in ${root.path}.`;
      return textOutcome(`${text}${toNote(tooLarge.map((path) => shownPath(cwd, path)))}`);
    },
  });
}

/** Searches with the ripgrep on `PATH`, looked for once. */
export const grepTool = createGrepTool(lookUpOnce());

function lookUpOnce(): () => string | undefined {
  let found: { path: string | undefined } | undefined;
  return () => (found ??= { path: findProgram('rg', process.env) }).path;
}

// JavaScript says what a pattern means, whether ripgrep is there or not: ripgrep passes over the
// files in which nothing can match, and the others are searched here.
function chooseSearch(
  call: Input,
  workspace: Workspace,
  findRipgrep: () => string | undefined,
): SearchFiles {
  const ignoreCase = call.ignore_case ?? false;
  const here = searchHere({ pattern: call.pattern, ignoreCase }, workspace);
  const pattern = toRipgrepPattern(call.pattern, ignoreCase);
  const program = pattern === undefined ? undefined : findRipgrep();
  if (pattern === undefined || program === undefined) return here;
  const candidates = chooseWithRipgrep(program, { pattern, ignoreCase }, workspace);
  return async function* (files, signal) {
    yield* here(await candidates(files, signal), signal);
  };
}

async function* filesOf(
  root: { path: string; isDirectory: boolean },
  glob: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (!root.isDirectory) {
    yield root.path;
    return;
  }
  const files = walkFiles(root.path, signal);
  if (glob === undefined) yield* files;
  else yield* filterByGlob(files, { root: root.path, pattern: glob, nameAlone: true });
}

async function* searchAll(
  files: AsyncIterable<string>,
  find: SearchFiles,
  signal: AbortSignal,
): AsyncGenerator<FileMatches> {
  let batch: string[] = [];
  for await (const file of files) {
    batch.push(file);
    if (batch.length < BATCH_FILES_MAX) continue;
    yield* find(batch, signal);
    batch = [];
  }
  if (batch.length > 0 && !signal.aborted) yield* find(batch, signal);
}

function toLines(found: FileMatches, path: string, call: Input): Iterable<string> {
  switch (call.output_mode ?? 'content') {
    case 'files':
      return [path];
    case 'count':
      return [`${path}:${found.matching.length}`];
    case 'content':
      return toContent(found, path, call.context ?? 0);
  }
}

function* toContent(
  { lines, matching }: FileMatches,
  path: string,
  context: number,
): Generator<string> {
  // Without context there is nothing to tell apart, and of a long file there are many.
  const hits = context > 0 ? new Set(matching) : undefined;
  let shown = -1;
  for (const hit of matching) {
    const start = Math.max(shown + 1, hit - context);
    if (context > 0 && shown >= 0 && start > shown + 1) yield '--';
    const end = Math.min(lines.length - 1, hit + context);
    for (let index = start; index <= end; index++) {
      const mark = !hits || hits.has(index) ? ':' : '-';
      yield `${path}${mark}${index + 1}${mark}${shorten(lines[index] ?? '')}`;
    }
    shown = Math.max(shown, end);
  }
}

function shorten(line: string): string {
  if (line.length <= LINE_LENGTH_MAX) return line;
  // Half a pair of surrogates would be no valid text for a provider.
  return `${line.slice(0, LINE_LENGTH_MAX).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

// The output as far as it fits, and a count of the rest.
function createPage(linesMax: number, bytesMax: number) {
  const kept: string[] = [];
  let bytes = 0;
  let left = 0;
  return {
    add(lines: Iterable<string>) {
      for (const line of lines) {
        bytes += Buffer.byteLength(line) + 1;
        if (left > 0 || kept.length >= linesMax || bytes > bytesMax) left++;
        else kept.push(line);
      }
    },
    text: () =>
      [...kept, ...(left > 0 ? [`(${left} more lines; narrow the search)`] : [])].join('\n'),
  };
}
