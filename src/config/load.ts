import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { codeOf, messageOf, UserError } from '../base/errors.ts';
import { describeProblems } from './problems.ts';
import { type Config, type ConfigFile, configFileSchema, DEFAULT_LIMITS } from './schema.ts';

/**
 * The user's own configuration file: under `XDG_CONFIG_HOME` (an absolute path), else `~/.config`;
 * on Windows under `APPDATA`.
 */
export function userConfigPath(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string {
  return join(configDirectory(env, platform), 'planfold', 'config.json');
}

function configDirectory(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32') return env['APPDATA'] || join(homedir(), 'AppData', 'Roaming');
  const configured = env['XDG_CONFIG_HOME'] ?? '';
  return isAbsolute(configured) ? configured : join(env['HOME'] || homedir(), '.config');
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
  const config: Config = { modes: {}, limits: { ...DEFAULT_LIMITS }, sources: {} };
  const user = userConfigPath(env);
  apply(config, readConfigFile(user), { file: user, raises: true });
  const project = projectConfigPath(cwd);
  apply(config, readConfigFile(project), { file: project, raises: false });
  return config;
}

// A definition replaces one of the same name whole, so that its text and label come from one file.
function apply(
  config: Config,
  { modes = {}, limits = {} }: ConfigFile,
  { file, raises }: { file: string; raises: boolean },
): void {
  for (const [name, definition] of Object.entries(modes)) {
    config.modes[name] = definition;
    config.sources[`modes.${name}`] = file;
  }
  for (const key of Object.keys(DEFAULT_LIMITS) as (keyof typeof DEFAULT_LIMITS)[]) {
    const value = limits[key];
    if (value === undefined || (!raises && value >= config.limits[key])) continue;
    config.limits[key] = value;
    config.sources[`limits.${key}`] = file;
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
  const parsed = configFileSchema.safeParse(value);
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
