import { AuthError } from '../base/errors.ts';
import { removeCredentials } from '../model/credentials.ts';
import type { Machine } from './machine.ts';

/** Throws `AuthError` where the model that is used by default has no key yet. */
export function checkCredentials(machine: Machine): void {
  machine.openModels({ providers: {}, options: {} }).standard.client.ready();
}

/**
 * Forgets what was stored. Throws `AuthError` where a key of the environment remains: that is not
 * ours to take away.
 */
export function forgetCredentials(machine: Machine): void {
  removeCredentials(machine.credentials);
  const { keyNames } = machine.openModels({ providers: {}, options: {} });
  const set = keyNames.filter((name) => name !== '' && machine.env[name]?.trim());
  if (set.length === 0) return;
  throw new AuthError(
    `Stored keys are forgotten, but the environment still has ${set.join(', ')}. Remove it from ` +
      'the environment that starts planfold.',
  );
}
