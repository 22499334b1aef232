import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../base/errors.ts';
import { renderPlatform } from '../loop/prompt.ts';
import { proxyFetch } from '../model/proxy.ts';
import { recordFetch } from '../model/record.ts';
import { readRecording, writeRecording } from '../model/recording.ts';
import { replayFetch } from '../model/replay.ts';
import { createSubstitution, type Substitution } from '../model/substitution.ts';
import { userShell } from '../sandbox/environment.ts';

/** What differs between two machines, and what a recording holds in its place. */
export function machineSubstitution(cwd: string, env: NodeJS.ProcessEnv): Substitution {
  const machine = { platform: process.platform, shell: userShell(env) };
  return createSubstitution({ cwd, platform: renderPlatform(machine) });
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
  const path = join(directory, 'model.jsonl');
  if (!existsSync(path)) throw new UserError(`${path} does not exist; --replay takes a scenario.`);
  const { exchanges } = readRecording(readFileSync(path, 'utf8'), path);
  return replayFetch(exchanges.slice(skip), { substitution: machineSubstitution(cwd, env) });
}

/**
 * A `fetch` whose model traffic is written to `model.jsonl` in `directory`, an exchange as soon as
 * it has ended. Throws `UserError` when there is a recording already, or it cannot be written.
 */
export function openRecorder(directory: string, { cwd, env }: Here): typeof globalThis.fetch {
  const path = join(directory, 'model.jsonl');
  const { toRecorded } = machineSubstitution(cwd, env);
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(path, writeRecording({ origin: 'recorded', exchanges: [] }), { flag: 'wx' });
  } catch (error) {
    throw new UserError(`--record cannot start ${path}: ${messageOf(error)}`);
  }
  return recordFetch(proxyFetch(env) ?? globalThis.fetch, (exchange) => {
    appendFileSync(path, `${toRecorded(JSON.stringify(exchange))}\n`);
  });
}
