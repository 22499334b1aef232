import { setImmediate } from 'node:timers/promises';
import { decodeText } from './encoding.ts';
import { createStoppable } from './stoppable.ts';
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
export type SearchFiles = (
  files: readonly string[],
  signal: AbortSignal,
) => AsyncIterable<FileMatches>;

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
  const expression = compile(search);
  const match = createStoppable((lines: readonly string[]) => {
    const matching: number[] = [];
    for (const [index, line] of lines.entries()) if (expression.test(line)) matching.push(index);
    return matching;
  }, SLOW);
  return async function* (files, signal) {
    for (const path of files) {
      if (signal.aborted) return;
      const lines = await readLines(workspace, path);
      if (!lines) continue;
      const matching: number[] = [];
      for (const { start, end } of piecesOf(lines)) {
        if (signal.aborted) return;
        for (const index of match(lines.slice(start, end))) matching.push(start + index);
        // A long file is no reason to let a cancellation wait.
        if (end < lines.length) await setImmediate();
      }
      if (matching.length > 0) yield { path, lines, matching };
    }
  };
}

const SLOW =
  'the expression takes too long on these lines. Make it simpler; a repetition inside a ' +
  'repetition, such as `(a+)+`, is what usually does it.';

// How much is matched at a time: only what would go on for ever may be long in it.
const MATCH_LENGTH_MAX = 1024 * 1024;
const MATCH_LINES_MAX = 100_000;

function* piecesOf(lines: readonly string[]): Generator<{ start: number; end: number }> {
  let start = 0;
  let length = 0;
  for (const [index, line] of lines.entries()) {
    length += line.length;
    const end = index + 1;
    const full = length >= MATCH_LENGTH_MAX || end - start >= MATCH_LINES_MAX;
    if (!full && end < lines.length) continue;
    yield { start, end };
    start = end;
    length = 0;
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
