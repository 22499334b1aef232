import { UserError } from '../base/errors.ts';

/** How much of what libraries say goes to stderr. */
export const LEVELS = ['silent', 'error', 'debug'];

/**
 * Keeps libraries off stdout, which carries frames only, and off stderr unless `level` asks for it.
 * `silent` drops everything; `error` and `debug` send it to stderr. Throws `UserError` for another
 * one.
 */
export function silenceConsole(level: string): void {
  if (!LEVELS.includes(level)) {
    throw new UserError(`--log-level is \`${level}\`; known are ${LEVELS.join(', ')}.`);
  }
  const toStderr = (...values: unknown[]) => {
    process.stderr.write(`${values.map(String).join(' ')}\n`);
  };
  const drop = () => {};
  const errors = level === 'silent' ? drop : toStderr;
  const notes = level === 'debug' ? toStderr : drop;
  Object.assign(console, { error: errors, warn: errors, log: notes, info: notes, debug: notes });
}
