import { existsSync } from 'node:fs';
import type { Json } from '../base/json.ts';
import { dataDirectory } from '../log/location.ts';
import { type Provider, resolveProviders } from '../model/provider.ts';
import { resolveModes } from '../modes/definitions.ts';
import { loadConfig, projectConfigPath, userConfigPath } from './load.ts';
import type { Config } from './schema.ts';

/** Where a value comes from; `name` is the file or the variable. */
export type Origin =
  { from: 'default' } | { from: 'user' | 'project' | 'environment'; name: string };

/** One value in force, by its path, such as `limits.stepsMax`. */
export interface ResolvedValue {
  key: string;
  value: Json;
  origin: Origin;
}

/** A place where configuration is looked for. */
export interface ConfigPlace {
  whose: 'user' | 'project';
  path: string;
  isThere: boolean;
  /** The values that come from it. */
  sets: string[];
}

/** All that is in force in one directory, and why. It never holds a key. */
export interface ResolvedConfig {
  files: ConfigPlace[];
  values: ResolvedValue[];
  /** What of the project's file does not count, and why. */
  ignored: string[];
}

/** Where the sessions in `cwd` look for configuration, and what `config` has from there. */
export function lookForFiles(
  { env, cwd }: { env: NodeJS.ProcessEnv; cwd: string },
  { sources }: Config,
): ConfigPlace[] {
  const paths = { user: userConfigPath(env), project: projectConfigPath(cwd) } as const;
  return (['user', 'project'] as const).map((whose) => {
    const path = paths[whose];
    const sets = Object.keys(sources).filter((key) => sources[key] === path);
    return { whose, path, isThere: existsSync(path), sets };
  });
}

/**
 * The values in force for sessions in `cwd`, each with its origin. Throws `UserError` for a file or
 * a variable that cannot be used.
 */
export function resolveConfig(here: { env: NodeJS.ProcessEnv; cwd: string }): ResolvedConfig {
  const config = loadConfig(here);
  const files = lookForFiles(here, config);
  const originOf = (key: string): Origin => {
    const file = files.find(({ sets }) => sets.includes(key));
    return file ? { from: file.whose, name: file.path } : { from: 'default' };
  };
  const fromFiles = (section: string, values: object): ResolvedValue[] =>
    Object.entries(values).map(([name, value]) => {
      const key = `${section}.${name}`;
      return { key, value, origin: originOf(key) };
    });
  const { contextTokensMax, ...limits } = config.limits;
  const ofModel = Number.isFinite(contextTokensMax) ? contextTokensMax : "the model's";
  const { enabled, network } = config.sandbox;
  return {
    files,
    values: [
      ...fromFiles('modes', Object.fromEntries(resolveModes(config.modes))),
      ...fromFiles('limits', { ...limits, contextTokensMax: ofModel }),
      ...fromFiles('options', {
        sandbox: config.options.sandbox ?? 'workspace-write, or off where nothing confines',
        approval: config.options.approval ?? 'ask',
        reasoning_effort: config.options.reasoning_effort ?? 'default',
      }),
      ...resolveModels(here.env, config, originOf),
      ...fromFiles('sandbox', { backend: enabled ? 'auto' : 'none', network }),
      {
        key: 'dataDirectory',
        value: dataDirectory(here.env),
        origin: fromVariable(here.env, 'PLANFOLD_HOME') ?? { from: 'default' },
      },
    ],
    ignored: config.ignored,
  };
}

function resolveModels(
  env: NodeJS.ProcessEnv,
  { providers, options }: Config,
  originOf: (key: string) => Origin,
): ResolvedValue[] {
  const { byName, chosen } = resolveProviders(env, { providers, model: options.model });
  const model: ResolvedValue = {
    key: 'options.model',
    value: `${chosen.provider}/${chosen.model}`,
    origin: fromVariable(env, 'PLANFOLD_MODEL') ?? originOf('options.model'),
  };
  const ofEnvironment = fromVariable(env, 'OPENAI_BASE_URL');
  const endpoints = [...byName.values()].map((provider): ResolvedValue => {
    const key = `providers.${provider.name}`;
    const isOwn = ofEnvironment !== undefined && provider.name === chosen.provider;
    return { key, value: toShown(provider), origin: isOwn ? ofEnvironment : originOf(key) };
  });
  return [model, ...endpoints];
}

function fromVariable(env: NodeJS.ProcessEnv, name: string): Origin | undefined {
  return env[name]?.trim() ? { from: 'environment', name } : undefined;
}

function toShown({ baseURL, apiKeyEnv, models }: Provider): Json {
  return {
    baseURL: withoutSecrets(baseURL),
    apiKeyEnv: apiKeyEnv === '' ? null : apiKeyEnv,
    models: Object.keys(models),
  };
}

// Some endpoints take the key in their URL.
function withoutSecrets(baseURL: string): string {
  const url = new URL(baseURL);
  const hasSecret = url.username !== '' || url.password !== '' || url.search !== '';
  return hasSecret ? `${url.protocol}//…@${url.host}${url.pathname}` : baseURL;
}
