import type * as z from 'zod';
import { isObject } from '../base/json.ts';
import { APPROVALS } from '../loop/permission.ts';
import { SANDBOX_MODES } from '../sandbox/policy.ts';
import { DEFAULT_LIMITS } from './schema.ts';

// What each place of a configuration file takes, in words for the person who wrote it.
const PLACES: readonly { at: RegExp; takes: string; keys?: string }[] = [
  { at: /^$/, takes: 'an object', keys: '$schema, modes, limits, options, sandbox, providers' },
  { at: /^\$schema$/, takes: 'the place of a JSON Schema, as text' },
  { at: /^modes$/, takes: 'an object with a definition by mode name' },
  {
    at: /^modes\.[^.]+$/,
    takes: 'an object such as {"section": "…"}',
    keys: 'section, name, description',
  },
  { at: /^modes\.[^.]+\.section$/, takes: 'the text that the model reads in this mode, not blank' },
  { at: /^modes\.[^.]+\.(name|description)$/, takes: 'text' },
  { at: /^limits$/, takes: 'an object with numbers', keys: Object.keys(DEFAULT_LIMITS).join(', ') },
  { at: /^limits\.retriesMax$/, takes: 'a whole number, 0 for none' },
  { at: /^limits\.[^.]+$/, takes: 'a whole number above 0' },
  { at: /^options$/, takes: 'an object', keys: 'sandbox, approval, model, reasoning_effort' },
  { at: /^options\.sandbox$/, takes: SANDBOX_MODES.join(', ') },
  { at: /^options\.approval$/, takes: APPROVALS.join(', ') },
  { at: /^options\.model$/, takes: '"provider/model"' },
  { at: /^options\.reasoning_effort$/, takes: 'text such as "high"' },
  { at: /^sandbox$/, takes: 'an object', keys: 'backend, network' },
  { at: /^sandbox\.backend$/, takes: 'auto, none' },
  { at: /^sandbox\.network$/, takes: 'true or false' },
  {
    at: /^providers$/,
    takes: 'an object with a provider by name: lower-case letters, digits, - and _',
  },
  { at: /^providers\.[^.]+$/, takes: 'an object', keys: 'baseURL, apiKeyEnv, models' },
  { at: /^providers\.[^.]+\.baseURL$/, takes: 'an http(s) URL such as "https://host/v1"' },
  { at: /^providers\.[^.]+\.apiKeyEnv$/, takes: 'the name of an environment variable' },
  { at: /^providers\.[^.]+\.models$/, takes: 'an object with facts by model name' },
  {
    at: /^providers\.[^.]+\.models\.[^.]+$/,
    takes: 'an object, {} where nothing is known',
    keys: 'contextTokens, outputTokens, reasoningEfforts, images, sendsReasoning, price',
  },
  { at: /\.(context|output)Tokens$/, takes: 'a whole number above 0' },
  { at: /reasoningEfforts/, takes: 'a list such as ["low", "high"]' },
  { at: /\.(images|sendsReasoning)$/, takes: 'true or false' },
  {
    at: /\.price$/,
    takes: 'dollars for a million tokens, such as {"input": 1, "cachedInput": 0.1, "output": 4}',
    keys: 'input, cachedInput, output',
  },
  { at: /\.price\./, takes: 'a number of dollars' },
];

/** A line for each problem of a file that was read as `root`: where, the value, what is allowed. */
export function describeProblems(issues: readonly z.core.$ZodIssue[], root: unknown): string[] {
  return issues.flatMap((issue) => {
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => describeUnknownKey([...issue.path, key], root));
      case 'invalid_key': {
        const why = issue.issues.map(({ message }) => message).join('; ');
        return `\`${nameOf(issue.path)}\` ${why} (got ${shorten(valueAt(root, issue.path))}).`;
      }
      default:
        return describeMisfit(issue.path, root);
    }
  });
}

function describeUnknownKey(path: readonly PropertyKey[], root: unknown): string {
  const parent = nameOf(path.slice(0, -1));
  const where = parent === '' ? 'at the top of the file' : `in \`${parent}\``;
  const got = shorten(valueAt(root, path));
  return `\`${nameOf(path)}\` is unknown (got ${got}). Allowed ${where}: ${placeOf(parent)?.keys}.`;
}

function describeMisfit(path: readonly PropertyKey[], root: unknown): string {
  const name = nameOf(path);
  const value = valueAt(root, path);
  const takes = placeOf(name)?.takes;
  if (value === undefined) return `\`${name}\` is missing. It must be ${takes}.`;
  return `${name === '' ? 'the file' : `\`${name}\``} must be ${takes}, got ${shorten(value)}.`;
}

function placeOf(name: string) {
  return PLACES.find(({ at }) => at.test(name));
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) value = isObject(value) ? value[String(key)] : undefined;
  return value;
}

const VALUE_LENGTH_MAX = 80;

function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX - 1)}…` : text;
}
