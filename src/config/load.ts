import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { configDirectory } from '../base/directories.ts';
import { codeOf, messageOf, UserError } from '../base/errors.ts';
import { SANDBOX_MODES } from '../sandbox/policy.ts';
import { describeProblems } from './problems.ts';
import { type Config, type ConfigFile, configFileSchema, DEFAULT_LIMITS } from './schema.ts';

/** The user's own configuration file. */
export function userConfigPath(env: NodeJS.ProcessEnv, platform?: NodeJS.Platform): string {
  return join(configDirectory(env, platform), 'config.json');
}

/** The configuration file that a project brings along. */
export function projectConfigPath(cwd: string): string {
  return join(cwd, '.planfold', 'config.json');
}

/**
 * The configuration for sessions in `cwd`: the project's modes over the user's, and limits that a
 * project can only lower. A file that is not there sets nothing. Throws `UserError` that lists
 * every problem of a file with the place in it, the value it got and what is allowed.
 */
export function loadConfig({ env, cwd }: { env: NodeJS.ProcessEnv; cwd: string }): Config {
  const config = defaultConfig();
  const user = userConfigPath(env);
  const project = projectConfigPath(cwd);
  const [ofUser, ofProject] = readBoth(user, project);
  applyUser(config, ofUser, user);
  applyProject(config, ofProject, project);
  return config;
}

// Whoever mends one file shall know of the other.
function readBoth(user: string, project: string): [ConfigFile, ConfigFile] {
  const problems: string[] = [];
  const read = (path: string): ConfigFile => {
    try {
      return readConfigFile(path);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(error.message);
      return {};
    }
  };
  const both: [ConfigFile, ConfigFile] = [read(user), read(project)];
  if (problems.length > 0) throw new UserError(problems.join('\n'));
  return both;
}

/** What holds where no file says anything. */
export function defaultConfig(): Config {
  return {
    modes: {},
    limits: { ...DEFAULT_LIMITS },
    options: {},
    sandbox: { enabled: true, network: false },
    providers: {},
    ignored: [],
    sources: {},
  };
}

// A definition replaces one of the same name whole, so that its text and label come from one file.
function applyModes(config: Config, { modes = {} }: ConfigFile, file: string): void {
  for (const [name, definition] of Object.entries(modes)) {
    config.modes[name] = definition;
    config.sources[`modes.${name}`] = file;
  }
}

function applyLimits(
  config: Config,
  { limits = {} }: ConfigFile,
  { file, raises }: { file: string; raises: boolean },
): void {
  for (const key of Object.keys(DEFAULT_LIMITS) as (keyof typeof DEFAULT_LIMITS)[]) {
    const value = limits[key];
    if (value === undefined || (!raises && value >= config.limits[key])) continue;
    config.limits[key] = value;
    config.sources[`limits.${key}`] = file;
  }
}

function applyUser(config: Config, read: ConfigFile, file: string): void {
  applyModes(config, read, file);
  applyLimits(config, read, { file, raises: true });
  const { options = {}, sandbox = {}, providers = {} } = read;
  config.options = options;
  config.sandbox = {
    enabled: sandbox.backend !== 'none',
    network: sandbox.network ?? false,
  };
  config.providers = providers;
  for (const [section, values] of Object.entries({ options, sandbox, providers })) {
    for (const key of Object.keys(values)) config.sources[`${section}.${key}`] = file;
  }
}

// Whoever opens a repository must not be harmed by what its file says: it can only narrow.
function applyProject(config: Config, read: ConfigFile, file: string): void {
  applyModes(config, read, file);
  applyLimits(config, read, { file, raises: false });
  const { limits = {}, options = {}, sandbox = {}, providers = {} } = read;
  const ignore = (path: string, why: string) =>
    config.ignored.push(`${file}: \`${path}\` does not count: ${why}.`);
  for (const key of Object.keys(limits) as (keyof typeof limits)[]) {
    const [given = 0, held] = [limits[key], config.limits[key]];
    if (given > held) ignore(`limits.${key}`, `${given} is more than the ${held} that you have`);
  }
  for (const key of Object.keys(providers)) {
    ignore(`providers.${key}`, 'a project may name no provider');
  }
  for (const key of Object.keys(sandbox)) {
    ignore(`sandbox.${key}`, 'a project may not open the sandbox');
  }
  for (const [key, value] of Object.entries(options)) {
    const problem = problemOfProjectOption(key, String(value), config);
    if (problem !== undefined) ignore(`options.${key}`, problem);
    else {
      config.options = { ...config.options, [key]: value };
      config.sources[`options.${key}`] = file;
    }
  }
}

function problemOfProjectOption(key: string, value: string, { options }: Config) {
  switch (key) {
    case 'sandbox': {
      const narrower = SANDBOX_MODES.indexOf(options.sandbox ?? 'workspace-write');
      const given = SANDBOX_MODES.findIndex((mode) => mode === value);
      return given <= narrower ? undefined : `${value} is looser than what you have`;
    }
    case 'approval':
      return value === 'ask' ? undefined : 'a project may only set it to ask';
    default:
      return 'a project may not choose it';
  }
}

function readConfigFile(path: string): ConfigFile {
  const text = readIfThere(path);
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UserError(`${path}: not JSON: ${messageOf(error)}. Fix it or remove the file.`);
  }
  const parsed = configFileSchema().safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = describeProblems(parsed.error.issues, value);
  throw new UserError(problems.map((problem) => `${path}: ${problem}`).join('\n'));
}

function readIfThere(path: string): string | undefined {
  try {
    if (statSync(path).isFile()) return readFileSync(path, 'utf8');
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UserError(
      `${path}: cannot be read: ${messageOf(error)}. Make it readable or remove it.`,
    );
  }
  // A pipe or a device, to which a project may have linked, would be read for ever.
  throw new UserError(`${path}: not a regular file. Put a JSON file there or remove it.`);
}
