import { dirname, sep } from 'node:path';

/** How far a command may reach, from the narrowest to none. Also the values of the option. */
export const SANDBOX_MODES = ['read-only', 'workspace-write', 'off'] as const;

/** `read-only`: nothing is written. `workspace-write`: the roots are. `off`: no confinement. */
export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** Whether a run in `mode` reaches no further than one in `other`. */
export function reachesNoFurther(mode: SandboxMode, other: SandboxMode): boolean {
  return SANDBOX_MODES.indexOf(mode) <= SANDBOX_MODES.indexOf(other);
}

/** What one command is confined to. All paths are absolute with symbolic links resolved. */
export interface Confinement {
  mode: Exclude<SandboxMode, 'off'>;
  /** Written to in `workspace-write`, but for hooks and configuration of a git repository there. */
  roots: readonly string[];
  /** Stay readable whatever hides what is around them. */
  readable: readonly string[];
  /** Files and directories that cannot be read at all. */
  secrets: readonly string[];
  /** Whether the network is open; a sandbox has none unless the user opens it. */
  network: boolean;
}

/** What a path is, without following links; undefined where there is nothing. */
export type Look = (path: string) => 'file' | 'directory' | 'other' | undefined;

/** A working sandbox of this machine. */
export interface Sandbox {
  name: 'bubblewrap' | 'sandbox-exec';
  /**
   * The argument list that runs `argv` confined. `release` is to be called when that has ended.
   */
  wrap: (
    argv: readonly string[],
    confinement: Confinement,
  ) => { argv: [string, ...string[]]; release: () => void };
}

/** The sandbox of this machine, or why it has none, as a sentence for a person. */
export type FoundSandbox = { sandbox: Sandbox } | { problem: string };

/** Whether `path` is `directory` or lies below it; both are real paths. */
export function isBelow(path: string, directory: string): boolean {
  return (
    path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
  );
}

/** The directories below a root through which `path` is reached; itself and the root are none. */
export function wayTo(path: string, roots: readonly string[]): string[] {
  const parent = dirname(path);
  const inside = roots.some((root) => root !== parent && isBelow(parent, root));
  return inside ? [parent, ...wayTo(parent, roots)] : [];
}
