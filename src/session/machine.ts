import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createIds, type Ids, systemClock } from '../base/clock.ts';
import { cacheDirectory, configDirectory } from '../base/directories.ts';
import { openPrivateCache, type PrivateCache } from '../base/private_cache.ts';
import { dataDirectory } from '../log/location.ts';
import { credentialsPath, readCredentials } from '../model/credentials.ts';
import { createModels, type Models } from '../model/models.ts';
import { proxyFetch } from '../model/proxy.ts';
import {
  type Provider,
  type ProviderConfig,
  type Providers,
  resolveProviders,
} from '../model/provider.ts';
import type { RunCommand } from '../sandbox/command.ts';
import { credentialPaths } from '../sandbox/credentials.ts';
import { commandEnvironment, userShell } from '../sandbox/environment.ts';
import { findSandbox } from '../sandbox/find.ts';
import type { FoundSandbox } from '../sandbox/policy.ts';
import { createRunCommand } from '../sandbox/run.ts';
import { openDiskFiles } from '../tools/disk.ts';
import type { OpenFiles } from '../tools/files.ts';

/** What a configuration says of models. */
export interface ConfiguredModels {
  providers: Readonly<Record<string, ProviderConfig>>;
  options: { model?: string | undefined };
}

/** What all sessions of one process share: the machine they run on and the models they talk to. */
export interface Machine {
  env: NodeJS.ProcessEnv;
  clock: Clock;
  ids: Ids;
  /** Where session logs are kept. */
  dataDir: string;
  platform: string;
  shell: string;
  /** The models of the environment and of the configured providers. */
  openModels: (configured: ConfiguredModels) => Models;
  /** The person's own `AGENTS.md`, there or not. */
  instructions: string;
  /** Where `planfold login` keeps keys. */
  credentials: string;
  openFiles: OpenFiles;
  /** The environment for other programs, without the variables of `secretNames`. */
  openEnvironment: (secretNames: readonly string[]) => NodeJS.ProcessEnv;
  /** Runs commands, without the variables of `secretNames` in their environment. */
  openRunCommand: (secretNames: readonly string[]) => RunCommand;
  /** The sandbox, once it has been tried out. */
  sandbox: () => Promise<FoundSandbox>;
  /** What no tool and no confined command may touch: absolute paths, there or not. */
  secrets: readonly string[];
}

/** What a machine may be given. */
export interface MachineParts {
  fetch?: typeof globalThis.fetch;
  replay?: boolean;
  /** Where it keeps what it found out; the person's own cache if left out. */
  cache?: PrivateCache;
}

/**
 * The real machine. `fetch` is the seam at which model traffic is recorded or replayed; with
 * `replay`, no key is needed. Throws `UserError` for an environment that names no usable endpoint.
 */
export function createMachine(
  env: NodeJS.ProcessEnv,
  { fetch, replay = false, cache = openPrivateCache([cacheDirectory(env)]) }: MachineParts = {},
): Machine {
  const resolve = ({ providers, options }: ConfiguredModels): Providers => {
    if (replay) return replayedProviders(providers, options.model);
    return resolveProviders(env, { providers, model: options.model, stored });
  };
  const credentials = credentialsPath(env);
  const stored = (provider: string) => readCredentials(credentials)[provider];
  // Tried out while the editor reads the first answer: the first session waits for it.
  const sandbox = findSandbox(env, { cache });
  return {
    env,
    clock: systemClock,
    ids: createIds(),
    dataDir: dataDirectory(env),
    platform: process.platform,
    shell: userShell(env),
    openModels: (configured) => createModels(resolve(configured), fetch ?? proxyFetch(env)),
    instructions: join(configDirectory(env), 'AGENTS.md'),
    credentials,
    openFiles: openDiskFiles,
    openEnvironment: (secretNames) => commandEnvironment(env, secretNames),
    openRunCommand: (secretNames) =>
      createRunCommand({ env: commandEnvironment(env, secretNames), sandbox: () => sandbox }),
    sandbox: () => sandbox,
    // What is kept of the program's own code is run again: it is out of every command's reach.
    secrets: [...credentialPaths(env['HOME'] || homedir(), env), credentials, cacheDirectory(env)],
  };
}

const REPLAY: Provider = {
  name: 'replay',
  baseURL: 'http://replay.invalid/v1',
  apiKey: 'replay',
  apiKeyEnv: '',
  models: {},
};

// The model is the recorded one where the configuration names it. No key is needed for it.
function replayedProviders(
  configured: ConfiguredModels['providers'],
  model: string | undefined,
): Providers {
  const replay = { provider: REPLAY.name, model: 'replay' };
  if (model === undefined) return { byName: new Map([[REPLAY.name, REPLAY]]), chosen: replay };
  const { byName, chosen } = resolveProviders({}, { providers: configured, model });
  const keyless = [...byName].map(([name, provider]): [string, Provider] => {
    const { baseURL, apiKeyEnv, models } = provider;
    return [name, { name, baseURL, apiKey: REPLAY.apiKey, apiKeyEnv, models }];
  });
  return { byName: new Map(keyless), chosen };
}
