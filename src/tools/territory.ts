import { existsSync } from 'node:fs';
import { isBelow } from '../sandbox/policy.ts';
import type { May, Use } from './files.ts';
import { absolutePath, realPath } from './workspace.ts';

/** Where a session may go without asking; all paths absolute, symbolic links resolved. */
export interface Territory {
  roots: readonly string[];
  /** May be read as well. */
  readable: readonly string[];
  /** Credentials of the person: outside, wherever they lie. */
  secrets: readonly string[];
}

/** The same as it is given. */
export interface Bounds {
  /** Real paths: as they were when the session was opened. */
  roots: readonly string[];
  spillDirectory: string;
  secrets: readonly string[];
}

/** Looks at the disk: the territory as it is right now. */
export function surveyTerritory({ roots, spillDirectory, secrets }: Bounds): Territory {
  // A root that leads elsewhere by now was replaced: it must not take the session along.
  const realRoots = roots.filter((root) => realPath(root) === root);
  return {
    roots: realRoots,
    readable: [realPath(spillDirectory)],
    secrets: secrets
      .filter((path) => existsSync(path))
      .map(realPath)
      // Who opens a session in such a place wants it worked in.
      .filter((secret) => !realRoots.some((root) => isBelow(root, secret))),
  };
}

// What git finds there it runs: a hook, a configured program.
const IN_GIT = /(?:^|[\\/])\.git(?:[\\/]|$)/i;

/** Whether a real path may be used so without asking. */
export function isInside({ roots, readable, secrets }: Territory, real: string, use: Use): boolean {
  if (secrets.some((secret) => isBelow(real, secret))) return false;
  if (use === 'change' && IN_GIT.test(real)) return false;
  const allowed = use === 'read' ? [...roots, ...readable] : roots;
  return allowed.some((root) => isBelow(real, root));
}

/** A path as a call names it. */
export interface NamedPath {
  /** Absolute. */
  path: string;
  /** Where it leads. */
  real: string;
  inside: boolean;
}

/** Looks at a path of a call. */
export function lookAtPath(
  { territory, cwd, use }: { territory: Territory; cwd: string; use: Use },
  named: string,
): NamedPath {
  const path = absolutePath(cwd, named);
  const real = realPath(path);
  return { path, real, inside: isInside(territory, real, use) };
}

/**
 * What a call may touch whose `approved` paths (real ones) are allowed beyond the territory. An
 * approved directory is no leave to read the credentials below it.
 */
export function createMay(territory: Territory, approved: readonly string[]): May {
  return (real, use) =>
    isInside(territory, real, use) ||
    approved.some(
      (path) =>
        isBelow(real, path) &&
        territory.secrets.every((secret) => isBelow(path, secret) || !isBelow(real, secret)),
    );
}
