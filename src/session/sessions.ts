import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { InputError, UnknownSessionError } from '../base/errors.ts';
import type { Session } from './session.ts';

/** What an editor asks for when it opens a session. Directories must be absolute and exist. */
export interface NewSession {
  cwd: string;
  additionalDirectories: readonly string[];
}

/** The sessions of one process, by id. */
export interface Sessions {
  /** Throws `InputError` for a directory that will not do, `UserError` for a broken configuration. */
  create: (request: NewSession) => Session;
  /** Throws `UnknownSessionError`. */
  get: (id: string) => Session;
  find: (id: string) => Session | undefined;
  /** Stops every running turn and resolves when all have ended. */
  cancelAll: () => Promise<void>;
}

/** An empty set of sessions; `open` wires a new one. */
export function createSessions(open: (request: NewSession) => Session): Sessions {
  const sessions = new Map<string, Session>();
  return {
    create(request) {
      checkDirectory('cwd', request.cwd);
      for (const path of request.additionalDirectories) {
        checkDirectory('additionalDirectories', path);
      }
      const session = open(request);
      sessions.set(session.id, session);
      return session;
    },
    get(id) {
      const session = sessions.get(id);
      if (session) return session;
      throw new UnknownSessionError(
        `No session \`${id}\` is open here. Open one with session/new.`,
      );
    },
    find: (id) => sessions.get(id),
    async cancelAll() {
      await Promise.all([...sessions.values()].map((session) => session.cancel()));
    },
  };
}

function checkDirectory(field: string, path: string): void {
  if (!isAbsolute(path)) {
    throw new InputError(`\`${field}\` must be an absolute path, got ${JSON.stringify(path)}.`);
  }
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new InputError(`\`${field}\`: the directory ${path} does not exist.`);
  if (!stats.isDirectory()) throw new InputError(`\`${field}\`: ${path} is not a directory.`);
}
