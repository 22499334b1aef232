import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Context, createContext, Script } from 'node:vm';
import { codeOf } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { decodeText } from './encoding.ts';
import type { Workspace } from './workspace.ts';

/** What is searched for. */
export interface Search {
  pattern: string;
  ignoreCase: boolean;
}

/** The lines that match in one file, with the file's text. */
export interface FileMatches {
  path: string;
  lines: readonly string[];
  /** Indices into `lines`. */
  matching: readonly number[];
}

/** Searches some files; gives what matches, in the order of `files`. Throws for a bad pattern. */
export type SearchFiles = (files: readonly string[], signal: AbortSignal) => Promise<FileMatches[]>;

/** The lines of a file as a search sees them; undefined for what is no text, or cannot be read. */
async function readLines(workspace: Workspace, path: string): Promise<string[] | undefined> {
  try {
    const lines = decodeText(await workspace.files.readBytes(path), path).text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines.map((line) => line.replace(/\r$/, ''));
  } catch {
    return undefined;
  }
}

/** A search without any program. Throws for a pattern that is no regular expression. */
export function searchHere(search: Search, workspace: Workspace): SearchFiles {
  const match = createMatcher(compile(search));
  return async (files, signal) => {
    const found: FileMatches[] = [];
    let texts: FileLines[] = [];
    let length = 0;
    for (const path of files) {
      if (signal.aborted) return found;
      const lines = await readLines(workspace, path);
      if (!lines) continue;
      texts.push({ path, lines });
      length += lines.reduce((sum, line) => sum + line.length, 0);
      if (length < MATCH_LENGTH_MAX) continue;
      found.push(...match(texts));
      texts = [];
      length = 0;
    }
    return [...found, ...match(texts)];
  };
}

type FileLines = Omit<FileMatches, 'matching'>;

// How much is matched at a time, in characters, and how long that may take: some expressions would
// go on for ever, and nothing else runs meanwhile.
const MATCH_LENGTH_MAX = 4 * 1024 * 1024;
const MATCH_MS_MAX = 1500;

const MATCH = new Script(
  'files.map(({ lines }) => lines.flatMap((line, at) => (expression.test(line) ? [at] : [])))',
);

function createMatcher(expression: RegExp): (files: FileLines[]) => FileMatches[] {
  // Only a script that is run so can be stopped in the middle of an expression.
  const context = createContext({ expression, files: [] });
  return (files) => {
    context['files'] = files;
    const matching: number[][] = runStoppable(context);
    return files
      .map((file, index) => ({ ...file, matching: [...(matching[index] ?? [])] }))
      .filter((file) => file.matching.length > 0);
  };
}

function runStoppable(context: Context): number[][] {
  try {
    return MATCH.runInContext(context, { timeout: MATCH_MS_MAX });
  } catch (error) {
    if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Error(
      'the expression takes too long on these lines. Make it simpler; a repetition inside a ' +
        'repetition, such as `(a+)+`, is what usually does it.',
      { cause: error },
    );
  }
}

function compile({ pattern, ignoreCase }: Search): RegExp {
  const flags = ignoreCase ? 'i' : '';
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    // Without Unicode rules more escapes are allowed, as elsewhere.
    return new RegExp(pattern, flags);
  }
}

/** The same search through ripgrep at `program`, which finds the files worth reading. */
export function searchWithRipgrep(
  program: string,
  search: Search,
  workspace: Workspace,
): SearchFiles {
  return async (files, signal) => {
    const hits = await runRipgrep(program, { search, files, workspace, signal });
    const found: FileMatches[] = [];
    for (const path of files) {
      const numbers = hits.get(path);
      const lines = numbers && (await readLines(workspace, path));
      if (!numbers || !lines) continue;
      const matching = [...numbers]
        .filter((index) => index < lines.length)
        .toSorted((a, b) => a - b);
      if (matching.length > 0) found.push({ path, lines, matching });
    }
    return found;
  };
}

interface Run {
  search: Search;
  files: readonly string[];
  workspace: Workspace;
  signal: AbortSignal;
}

const RIPGREP_TIMEOUT_MS = 60_000;

async function runRipgrep(program: string, run: Run): Promise<Map<string, Set<number>>> {
  const pieces: Uint8Array[] = [];
  const { pattern, ignoreCase } = run.search;
  // The walk has chosen the files; ripgrep is to search in each of them, whatever it looks like.
  const flags = ['--json', '--no-config', '--no-ignore', '--text', '--crlf', '--no-messages'];
  const result = await run.workspace.runCommand({
    argv: [program, ...flags, ...(ignoreCase ? ['-i'] : []), '-e', pattern, '--', ...run.files],
    cwd: run.workspace.cwd,
    signal: run.signal,
    timeoutMs: RIPGREP_TIMEOUT_MS,
    onOutput: (bytes) => pieces.push(bytes),
  });
  const output = Buffer.concat(pieces).toString('utf8');
  if (result.startError !== undefined) throw new Error(result.startError);
  const hits = new Map<string, Set<number>>();
  for (const line of output.split('\n')) addHit(hits, line);
  // 2 stands for any error; without a single hit it is the pattern that was refused.
  if (result.exitCode === 2 && hits.size === 0 && !output.startsWith('{')) {
    throw new Error(output.trim() || 'ripgrep failed');
  }
  return hits;
}

function addHit(hits: Map<string, Set<number>>, line: string): void {
  if (!line.startsWith('{')) return;
  const event: unknown = JSON.parse(line);
  if (!isObject(event) || event['type'] !== 'match' || !isObject(event['data'])) return;
  const { path, line_number: number } = event['data'];
  const text = isObject(path) ? path['text'] : undefined;
  if (typeof text !== 'string' || typeof number !== 'number') return;
  hits.set(text, (hits.get(text) ?? new Set()).add(number - 1));
}

/** The absolute path of ripgrep on this machine, if it has one. */
export async function findRipgrep(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const directory of (env['PATH'] ?? '').split(delimiter)) {
    const program = join(directory, 'rg');
    // A relative entry would make the workspace a place to put programs.
    if (!isAbsolute(directory)) continue;
    const found = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return program;
  }
  return undefined;
}
