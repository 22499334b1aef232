import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { RunCommand } from '../sandbox/command.ts';
import type { Confinement } from '../sandbox/policy.ts';
import type { Files, OpenFiles } from './files.ts';
import type { ToolLimits } from './limits.ts';

/** Where a session works. */
interface Place {
  /** Absolute; relative paths of a call resolve against it. */
  cwd: string;
  /** `cwd` and the additional directories, as real paths. */
  roots: readonly string[];
  /** Where whole outputs go that are too long for a result. The model may read there. */
  spillDirectory: string;
  runCommand: RunCommand;
  limits: ToolLimits;
}

/** What a session has at hand for all of its calls. */
export interface Grounds extends Place {
  /** Credentials of the person, absolute, there or not. */
  secrets: readonly string[];
  /** Whether commands can be confined here at all. */
  confines: boolean;
  /** Whether a confined command has the network. */
  network: boolean;
  openFiles: OpenFiles;
}

/** Where one call works, and the ports through which it reaches the machine. */
export interface Workspace extends Place {
  /** Whether the model reads images. */
  images: boolean;
  /** Files within what this call may touch. */
  files: Files;
  /** What a command of this call is confined to; undefined where nothing confines it. */
  confinement?: Confinement | undefined;
}

/** The absolute path of a path in a call. */
export function absolutePath(cwd: string, path: string): string {
  return resolve(cwd, path);
}

/** `path` with symbolic links resolved as far as it exists. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
