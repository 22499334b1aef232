import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Context, createContext, Script } from 'node:vm';
import { codeOf } from '../base/errors.ts';
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

const RIPGREP_TIMEOUT_MS = 60_000;

// The walk has chosen the files; ripgrep is to search in each of them, whatever it looks like.
const RIPGREP_FLAGS = [
  '--files-with-matches',
  '--null',
  '--no-config',
  '--no-ignore',
  '--text',
  '--crlf',
  '--no-messages',
] as const;

/**
 * The same search through ripgrep at `program`, which only tells the files that are worth reading,
 * in the order of `files`. They are all of them when ripgrep did not get through.
 */
export function chooseWithRipgrep(
  program: string,
  { pattern, ignoreCase }: Search,
  workspace: Workspace,
): (files: readonly string[], signal: AbortSignal) => Promise<readonly string[]> {
  return async (files, signal) => {
    const pieces: Uint8Array[] = [];
    const flags = [...RIPGREP_FLAGS, ...(ignoreCase ? ['-i'] : [])];
    const { exitCode } = await workspace.runCommand({
      argv: [program, ...flags, '-e', pattern, '--', ...files],
      cwd: workspace.cwd,
      signal,
      timeoutMs: RIPGREP_TIMEOUT_MS,
      onOutput: (bytes) => pieces.push(bytes),
    });
    // 1 stands for no match; all else is a run that broke off, or left a file out.
    if (exitCode !== 0 && exitCode !== 1) return files;
    const matching = new Set(Buffer.concat(pieces).toString('utf8').split('\0'));
    return files.filter((path) => matching.has(path));
  };
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
