import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { codeOf, messageOf, UserError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Limits } from '../loop/agent.ts';
import { type Config, type ConfigFile, configFileSchema, DEFAULT_LIMITS } from './schema.ts';

/** The user's own configuration file: `XDG_CONFIG_HOME`, else `~/.config`. */
export function userConfigPath(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return join(base, 'planfold', 'config.json');
}

/** The configuration file that a project brings along. */
export function projectConfigPath(cwd: string): string {
  return join(cwd, '.planfold', 'config.json');
}

/**
 * The configuration for sessions in `cwd`: the project's modes over the user's, and limits that a
 * project can only lower. Throws `UserError` that lists every problem of a file with its path, the
 * value it got and what is allowed.
 */
export function loadConfig({ env, cwd }: { env: NodeJS.ProcessEnv; cwd: string }): Config {
  const user = readConfig(userConfigPath(env));
  const project = readConfig(projectConfigPath(cwd));
  return {
    modes: { ...user.modes, ...project.modes },
    limits: lowered(raised(DEFAULT_LIMITS, user.limits), project.limits),
  };
}

type LimitsFile = ConfigFile['limits'];

function raised(limits: Limits, user: LimitsFile): Limits {
  return mapLimits(limits, (key) => user?.[key] ?? limits[key]);
}

function lowered(limits: Limits, project: LimitsFile): Limits {
  return mapLimits(limits, (key) => Math.min(limits[key], project?.[key] ?? limits[key]));
}

function mapLimits(limits: Limits, pick: (key: keyof Limits) => number): Limits {
  const picked = { ...limits };
  for (const key of Object.keys(limits) as (keyof Limits)[]) picked[key] = pick(key);
  return picked;
}

function readConfig(path: string): ConfigFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return {};
    throw new UserError(`${path}: cannot be read: ${messageOf(error)}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UserError(`${path}: not JSON: ${messageOf(error)}. Fix it or remove the file.`);
  }
  const parsed = configFileSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => describeIssue(issue, value));
  throw new UserError(problems.map((problem) => `${path}: ${problem}`).join('\n'));
}

// Where allowed keys are few, the message names them all.
const ALLOWED: readonly { at: RegExp; keys: string }[] = [
  { at: /^$/, keys: 'modes, limits' },
  { at: /^modes\.[^.]+$/, keys: 'section, name, description' },
  { at: /^limits$/, keys: Object.keys(DEFAULT_LIMITS).join(', ') },
];

function describeIssue(issue: z.core.$ZodIssue, root: unknown): string {
  const path = issue.path.join('.');
  switch (issue.code) {
    case 'unrecognized_keys': {
      const allowed = ALLOWED.find(({ at }) => at.test(path))?.keys;
      const named = issue.keys.map((key) => {
        const got = shorten(valueAt(root, [...issue.path, key]));
        return `\`${[...issue.path, key].join('.')}\` is not known (got ${got})`;
      });
      return `${named.join('; ')}. Allowed here: ${allowed}.`;
    }
    case 'invalid_key': {
      const why = issue.issues.map(({ message }) => message).join('; ');
      const got = shorten(valueAt(root, issue.path));
      return `\`${path}\`: ${why} (got ${got}). Allowed: any other name.`;
    }
    default: {
      const got = shorten(valueAt(root, issue.path));
      return `\`${path || 'the file'}\`: ${issue.message} (got ${got}).`;
    }
  }
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) value = isObject(value) ? value[String(key)] : undefined;
  return value;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
