import { isAbsolute } from 'node:path';

/** A value shorter than this is no key: it must not take every variable with it that says `1`. */
const SECRET_LENGTH_MIN = 4;

/** What keeps a command from waiting for a person who is not there. */
const QUIET = { PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };

/**
 * The environment of a command: `env` without the harness's own secrets. Those are the variables in
 * `secretNames`, every variable that ends in `_API_KEY` in any case, and every other variable with
 * the value of one of them.
 */
export function commandEnvironment(
  env: NodeJS.ProcessEnv,
  secretNames: readonly string[],
): Record<string, string> {
  const isSecret = (name: string) => secretNames.includes(name) || /_API_KEY$/i.test(name);
  const set = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const secrets = new Set(
    set
      .filter(([name, value]) => isSecret(name) && value.length >= SECRET_LENGTH_MIN)
      .map(([, value]) => value),
  );
  const kept = set.filter(([name, value]) => !isSecret(name) && !secrets.has(value));
  return { ...Object.fromEntries(kept), ...QUIET };
}

/** The user's shell: `$SHELL` when it is an absolute path, else `/bin/sh`. */
export function userShell(env: NodeJS.ProcessEnv): string {
  const shell = env['SHELL'];
  return shell !== undefined && isAbsolute(shell) ? shell : '/bin/sh';
}
