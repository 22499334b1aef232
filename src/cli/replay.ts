import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../base/errors.ts';
import { renderPlatform } from '../loop/prompt.ts';
import { readRecording } from '../model/recording.ts';
import { replayFetch } from '../model/replay.ts';
import { createSubstitution, type Substitution } from '../model/substitution.ts';
import { userShell } from '../sandbox/environment.ts';

/** What differs between two machines, and what a recording holds in its place. */
export function machineSubstitution(cwd: string, env: NodeJS.ProcessEnv): Substitution {
  const machine = { platform: process.platform, shell: userShell(env) };
  return createSubstitution({ cwd, platform: renderPlatform(machine) });
}

/**
 * The recorded model traffic of the scenario in `directory`, as a `fetch` for a session in `cwd`.
 * Throws `UserError` when there is none or it cannot be read.
 */
export function openReplay(
  directory: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): typeof globalThis.fetch {
  const path = join(directory, 'model.jsonl');
  if (!existsSync(path)) throw new UserError(`${path} does not exist; --replay takes a scenario.`);
  const { exchanges } = readRecording(readFileSync(path, 'utf8'), path);
  return replayFetch(exchanges, { substitution: machineSubstitution(cwd, env) });
}
