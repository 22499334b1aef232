import { dirname, join } from 'node:path';
import { GIT_KEPT, type GitPlaces } from './git.ts';
import { type Confinement, isBelow, type Look, wayTo } from './policy.ts';

// Hidden whole: what lies here are the sockets of other programs (a session bus, a multiplexer, a
// container engine, an agent of keys), through which a command could have things done outside.
const HIDDEN = ['/run', '/tmp', '/var/tmp'];

// Where a command may leave what it needs for the moment; the first that holds no root.
const SCRATCH = ['/tmp', '/var/tmp'];

// Below what is hidden, and needed all the same: where `/etc/resolv.conf` leads on most systems,
// and where one system keeps its programs.
const RESOLVERS = ['/run/systemd/resolve', '/run/NetworkManager', '/run/resolvconf'];
const PROGRAMS = ['/run/current-system'];

/** What the sandbox is started with, whatever is confined: this much must work on the machine. */
export function bubblewrapBase(how: '--bind' | '--ro-bind' = '--ro-bind'): string[] {
  return [
    '--die-with-parent',
    '--unshare-pid',
    '--unshare-ipc',
    // Root has no more to say inside than the owner of the files.
    '--cap-drop',
    'ALL',
    ...mount(how, '/'),
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    // Root could still set the kernel's parameters, one of which names a program to run outside.
    ...mount('--ro-bind-try', '/proc/sys'),
    ...mount('--ro-bind-try', '/proc/sysrq-trigger'),
  ];
}

function mount(how: string, path: string): string[] {
  return [how, path, path];
}

/**
 * The arguments of `bwrap` before the command: everything is read-only but the roots and a scratch
 * directory that is empty at each start; secrets and other programs' sockets are not there.
 */
export function toBubblewrapArgs(
  { mode, roots, readable, secrets, network }: Confinement,
  { look, git }: { look: Look; git: GitPlaces },
): string[] {
  const writable = mode === 'workspace-write';
  const hidden = HIDDEN.filter((path) => look(path) === 'directory');
  const scratch = writable ? chooseScratch(hidden, roots) : undefined;
  const shown = [...PROGRAMS, ...(network ? RESOLVERS : []), ...readable];
  // Where a root was bound over it there is nothing to close: the root is what lies there.
  const covered = (path: string) => roots.some((root) => root !== '/' && isBelow(path, root));
  const closed = hidden.filter((path) => path !== scratch && !covered(path));
  const bound = roots.filter((root) => root !== '/');
  const outermost = [...new Set(secrets)].filter((path) => isOutermost(path, secrets));
  const kept = [...git.directories, ...git.linked, ...outermost];
  return [
    // What lies in the root directory of the system is bound first, not over all of this.
    ...bubblewrapBase(writable && roots.includes('/') ? '--bind' : '--ro-bind'),
    ...(process.getuid?.() === 0 ? ['--cap-add', 'CAP_DAC_OVERRIDE'] : []),
    ...(network ? [] : ['--unshare-net']),
    ...hidden.flatMap((path) => ['--tmpfs', path]),
    ...(scratch === undefined ? ['--unsetenv', 'TMPDIR'] : ['--setenv', 'TMPDIR', scratch]),
    ...shown.flatMap((path) => mount('--ro-bind-try', path)),
    ...(writable ? withWays(bound, kept) : byDepth(bound)).flatMap((path) =>
      mount(writable ? '--bind-try' : '--ro-bind-try', path),
    ),
    ...(writable ? protectGit(roots, git, look) : ['--remount-ro', '/dev']),
    ...outermost.flatMap((path) => hideSecret(path, look)),
    ...closed.flatMap((path) => ['--remount-ro', path]),
  ];
}

function chooseScratch(hidden: readonly string[], roots: readonly string[]): string | undefined {
  return SCRATCH.find(
    (path) =>
      hidden.includes(path) && roots.every((root) => !isBelow(root, path) && !isBelow(path, root)),
  );
}

// What lies below another one is hidden with it, and there would be no place to mount it on.
function isOutermost(path: string, paths: readonly string[]): boolean {
  return paths.every((other) => other === path || !isBelow(path, other));
}

// With each directory mounted as well through which something to be kept is reached inside a root:
// were it moved, the next command would find that at a new path, and anything at the old one.
function withWays(roots: readonly string[], kept: readonly string[]): string[] {
  return byDepth([...roots, ...[...roots, ...kept].flatMap((path) => wayTo(path, roots))]);
}

// Outer ones first: a mount covers all that was mounted below it before.
function byDepth(paths: readonly string[]): string[] {
  return [...new Set(paths)].toSorted((a, b) => a.length - b.length);
}

// A hook or a configured program runs outside the sandbox the next time a person uses git. A mount
// can be neither removed nor replaced, so that each of these stays where and what it is.
function protectGit(
  roots: readonly string[],
  { directories, linked }: GitPlaces,
  look: Look,
): string[] {
  const files = roots.map((root) => join(root, '.git')).filter((path) => look(path) === 'file');
  return [
    ...byDepth(directories).flatMap((directory) => protectRepository(directory, look)),
    ...[...linked, ...files].flatMap((path) => mount('--ro-bind', path)),
  ];
}

function protectRepository(git: string, look: Look): string[] {
  const kept = GIT_KEPT.map((name) => join(git, name)).filter((path) => look(path) !== undefined);
  const config = join(git, 'config');
  // What is not there cannot be held, nor can a link.
  if (!kept.includes(config) || kept.some((path) => look(path) === 'other')) {
    return mount('--ro-bind', git);
  }
  const hooks = join(git, 'hooks');
  return [
    ...mount('--bind', git),
    ...kept.flatMap((path) => mount('--ro-bind', path)),
    ...(kept.includes(hooks) ? [] : ['--tmpfs', hooks, '--remount-ro', hooks]),
  ];
}

function hideSecret(path: string, look: Look): string[] {
  const kind = look(path);
  if (kind === undefined || look(dirname(path)) !== 'directory') return [];
  if (kind !== 'directory') return ['--ro-bind', '/dev/null', path];
  return ['--perms', '0000', '--tmpfs', path, '--remount-ro', path];
}
