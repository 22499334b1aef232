import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configDirectory } from '../base/directories.ts';
import { UserError } from '../base/errors.ts';
import { dataDirectory, sessionsDirectory } from '../log/location.ts';
import { renderPlatform } from '../loop/prompt.ts';
import { readRecording, type Recording } from '../model/recording.ts';
import { replayFetch } from '../model/replay.ts';
import { createSubstitution, type Substitution } from '../model/substitution.ts';
import { userShell } from '../sandbox/environment.ts';

const OUTPUTS = '{{outputs}}';

/** What differs between two machines, and what a recording of a session in `cwd` holds for it. */
export function machineSubstitution(cwd: string, env: NodeJS.ProcessEnv): Substitution {
  const machine = { platform: process.platform, shell: userShell(env) };
  const sessions = sessionsDirectory(dataDirectory(env), cwd);
  const config = configDirectory(env);
  const platform = renderPlatform(machine);
  const fixed = createSubstitution({ cwd, sessions, config, platform });
  // Where long outputs are kept bears the session's id, which no two runs share.
  let outputs: string | undefined;
  return {
    toRecorded: (text) =>
      fixed.toRecorded(text).replaceAll(/\{\{sessions\}\}\/[\w-]+\.outputs/g, (found) => {
        outputs = fixed.toActual(found);
        return OUTPUTS;
      }),
    toActual: (text) =>
      fixed.toActual(outputs === undefined ? text : text.replaceAll(OUTPUTS, outputs)),
  };
}

/** Where a process stands: what a recording of it must not depend on. */
interface Here {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/**
 * The recorded model traffic of the scenario in `directory`, as a `fetch` for a session in `cwd`,
 * without the first `skip` exchanges.
 * Throws `UserError` when there is none or it cannot be read.
 */
export function openReplay(
  directory: string,
  { cwd, env }: Here,
  skip = 0,
): typeof globalThis.fetch {
  const { exchanges } = readModelTraffic(directory);
  return replayFetch(exchanges.slice(skip), { substitution: machineSubstitution(cwd, env) });
}

/** The model traffic of a scenario. Throws `UserError` when there is none or it cannot be read. */
export function readModelTraffic(directory: string): Recording {
  const path = join(directory, 'model.jsonl');
  if (!existsSync(path)) {
    throw new UserError(`${path} does not exist; a recording has its model traffic there.`);
  }
  return readRecording(readFileSync(path, 'utf8'), path);
}
