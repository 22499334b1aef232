import type { AuthenticateRequest } from '@agentclientprotocol/sdk/unstable';
import { InputError } from '../base/errors.ts';
import { ENVIRONMENT_METHOD, LOGIN_METHOD } from './hello.ts';
import type { Opener } from './opener.ts';

/** The two methods about credentials. */
export interface Auth {
  /** Throws `AuthError` where there is no key yet, with the ways to one. */
  authenticate: (params: AuthenticateRequest) => Promise<Record<string, never>>;
  /** Forgets the keys that `planfold login` stored. */
  logout: () => Promise<Record<string, never>>;
}

/** A key comes from the environment or from a terminal: what is left to do here is to look. */
export function createAuth(opener: Pick<Opener, 'load'>): Auth {
  return {
    async authenticate({ methodId }) {
      if (methodId !== ENVIRONMENT_METHOD && methodId !== LOGIN_METHOD) {
        const known = `${ENVIRONMENT_METHOD}, ${LOGIN_METHOD}`;
        throw new InputError(`Unknown method \`${methodId}\`. Known: ${known}.`);
      }
      const [{ checkCredentials }, machine] = await opener.load();
      checkCredentials(machine);
      return {};
    },
    async logout() {
      const [{ forgetCredentials }, machine] = await opener.load();
      forgetCredentials(machine);
      return {};
    },
  };
}
