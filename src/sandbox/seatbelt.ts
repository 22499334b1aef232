import { join } from 'node:path';
import { GIT_KEPT, type GitPlaces } from './git.ts';
import { type Confinement, wayTo } from './policy.ts';

/**
 * The profile for `sandbox-exec`: what a command may do where macOS confines it. Later rules win.
 */
export function toSeatbeltProfile(
  { mode, roots, readable, secrets, network }: Confinement,
  { directories, linked }: GitPlaces,
): string {
  const gitItself = roots.map((root) => join(root, '.git'));
  const repositories = [...new Set([...gitItself, ...directories])];
  const inGit = repositories.flatMap((path) => GIT_KEPT.map((name) => join(path, name)));
  // Paths are what is denied: nothing on the way to them may be moved, nor be made another one.
  const kept = [...roots, ...repositories, ...linked, ...secrets];
  const fixed = [...roots, ...repositories, ...kept.flatMap((path) => wayTo(path, roots))];
  const writable = mode === 'workspace-write';
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/tty") (literal "/dev/dtracehelper"))',
    ...(writable ? [`(allow file-write* ${subpaths([...roots, ...SCRATCH])})`] : []),
    ...(writable && roots.length > 0
      ? [
          `(deny file-write* ${subpaths([...inGit, ...linked])})`,
          `(deny file-write-unlink file-write-create ${literals([...new Set(fixed)])})`,
          ...gitItself.map(
            (path) => `(deny file-write* (require-all (vnode-type REGULAR-FILE) ${literal(path)}))`,
          ),
        ]
      : []),
    ...(secrets.length > 0 ? [`(deny file-read* file-write* ${subpaths(secrets)})`] : []),
    ...(readable.length > 0 ? [`(allow file-read* ${subpaths(readable)})`] : []),
    ...(network ? [] : ['(deny network*)']),
    // Programs outside could be asked to do what is denied here.
    '(deny appleevent-send)',
    '(deny mach-lookup (global-name "com.apple.coreservices.launchservicesd"))',
    '',
  ].join('\n');
}

// The temporary directories of a user; macOS knows them by their real paths.
const SCRATCH = ['/private/tmp', '/private/var/folders'];

function subpaths(paths: readonly string[]): string {
  return paths.map((path) => `(subpath ${quote(path)})`).join(' ');
}

function literals(paths: readonly string[]): string {
  return paths.map(literal).join(' ');
}

function literal(path: string): string {
  return `(literal ${quote(path)})`;
}

function quote(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&')}"`;
}
