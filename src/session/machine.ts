import { type Clock, createIds, type Ids, systemClock } from '../base/clock.ts';
import { dataDirectory } from '../log/location.ts';
import { createModel } from '../model/openai.ts';
import { resolveProvider } from '../model/provider.ts';
import type { Model } from '../model/types.ts';
import type { RunCommand } from '../sandbox/command.ts';
import { commandEnvironment, userShell } from '../sandbox/environment.ts';
import { createRunCommand } from '../sandbox/run.ts';
import { createDiskFiles } from '../tools/disk.ts';
import type { Files } from '../tools/files.ts';

/** What all sessions of one process share: the machine they run on and the model they talk to. */
export interface Machine {
  env: NodeJS.ProcessEnv;
  clock: Clock;
  ids: Ids;
  /** Where session logs are kept. */
  dataDir: string;
  platform: string;
  shell: string;
  model: Model;
  modelName: string;
  files: Files;
  runCommand: RunCommand;
}

/**
 * The real machine. `fetch` is the seam at which model traffic is recorded or replayed; with
 * `replay`, no key is needed. Throws `UserError` for an environment that names no usable endpoint.
 */
export function createMachine(
  env: NodeJS.ProcessEnv,
  { fetch, replay = false }: { fetch?: typeof globalThis.fetch; replay?: boolean } = {},
): Machine {
  const configured = resolveProvider(env);
  const provider = replay
    ? { ...configured, baseURL: 'http://replay.invalid/v1', apiKey: 'replay', model: 'replay' }
    : configured;
  const childEnv = commandEnvironment(env, [provider.apiKeyEnv]);
  return {
    env,
    clock: systemClock,
    ids: createIds(),
    dataDir: dataDirectory(env),
    platform: process.platform,
    shell: userShell(env),
    model: createModel({ provider, ...(fetch ? { fetch } : {}) }),
    modelName: provider.model,
    files: createDiskFiles(),
    runCommand: createRunCommand({ env: childEnv }),
  };
}
