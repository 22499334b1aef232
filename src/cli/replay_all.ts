import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, UserError } from '../base/errors.ts';
import { describeDifference } from '../model/difference.ts';
import { verifyLog } from '../session/verify.ts';
import { goldensOf, type Played, playRecording, readGolden } from './play.ts';
import { createReporter, type ReporterName, type Verdict } from './reporter.ts';

/** What `planfold replay` was asked for. */
export interface ReplayOptions {
  reporter: ReporterName;
  /** Takes over what differs instead of reporting it. */
  update?: boolean;
}

/**
 * Plays recordings and tells where they differ from what was recorded. Resolves with the exit code:
 * 0, or 1 where one differs or cannot be played.
 */
export async function runReplay(
  write: (text: string) => void,
  paths: readonly string[],
  options: ReplayOptions,
): Promise<number> {
  const directories = paths.flatMap(findRecordings);
  const reporter = createReporter(options.reporter, write);
  let differ = 0;
  for (const directory of directories) {
    const verdict = await replayOne(directory, options.update ?? false);
    if (verdict.problem !== undefined) differ += 1;
    reporter.tell(verdict);
  }
  reporter.end();
  return differ === 0 ? 0 : 1;
}

// A folder of recordings stands for all of them.
function findRecordings(path: string): string[] {
  if (existsSync(join(path, 'input.json'))) return [path];
  const found = existsSync(path)
    ? readdirSync(path).filter((name) => existsSync(join(path, name, 'input.json')))
    : [];
  if (found.length > 0) return found.toSorted().map((name) => join(path, name));
  throw new UserError(`${path} is no recording: there is no input.json in it or one level below.`);
}

async function replayOne(directory: string, updating: boolean): Promise<Verdict> {
  const name = basename(directory);
  const begun = performance.now();
  const verdict = (requests: number, problem: string | undefined): Verdict => {
    const seconds = (performance.now() - begun) / 1000;
    return { name, seconds, count: requests, problem, updated: updating };
  };
  try {
    if (updating) await playAndForget(directory, (played) => update(directory, played), true);
    return await playAndForget(directory, (played) =>
      verdict(played.requests, problemOf(directory, played)),
    );
  } catch (error) {
    return verdict(0, messageOf(error));
  }
}

async function playAndForget<T>(
  directory: string,
  judge: (played: Played) => T,
  updating = false,
): Promise<T> {
  const played = await playRecording(directory, updating);
  try {
    return judge(played);
  } finally {
    rmSync(played.home, { recursive: true, force: true });
  }
}

function update(directory: string, played: Played): void {
  if (played.mismatch !== undefined) throw new UserError(played.mismatch);
  for (const [file, lines] of goldensOf(played)) {
    writeFileSync(join(directory, file), `${lines.join('\n')}\n`);
  }
}

// The first cause comes first: what follows from it says less.
function problemOf(directory: string, played: Played): string | undefined {
  const { mismatch, exchanges, requests, unused, logPath } = played;
  if (mismatch !== undefined) return mismatch;
  for (const [file, lines] of goldensOf(played)) {
    const golden = readGolden(directory, file);
    const problem = golden && differenceOf(lines, golden);
    if (problem !== undefined) return `${file}, ${problem}`;
  }
  if (requests < exchanges.length) {
    return `It ended after ${requests} requests; ${exchanges.length} were recorded.`;
  }
  if (unused > 0) return `${unused} of its answers and moments did not come to pass.`;
  return logPath === undefined || !existsSync(logPath) ? undefined : verifyLog(logPath).problems[0];
}

function differenceOf(lines: readonly string[], golden: readonly string[]): string | undefined {
  const length = Math.max(lines.length, golden.length);
  for (let at = 0; at < length; at++) {
    if (lines[at] === golden[at]) continue;
    return `line ${at + 1}${describeDifference(lines[at], golden[at])}`;
  }
  return undefined;
}
