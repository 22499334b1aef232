import { spawn } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { setImmediate as nextMacrotask } from 'node:timers/promises';
import { bubblewrapBase, toBubblewrapArgs } from './bubblewrap.ts';
import type { PrivateCache } from '../base/private_cache.ts';
import { findGit, guardGit } from './git.ts';
import { openProbeMemory } from './memory.ts';
import type { FoundSandbox, Look, Sandbox } from './policy.ts';
import { findProgram } from './programs.ts';
import { toSeatbeltProfile } from './seatbelt.ts';

/** How long the sandbox may take to show that it works, in milliseconds. */
const PROBE_MS_MAX = 5000;

const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

/** How long after a remembered success the sandbox is tried out again, in milliseconds. */
const PROBE_AGAIN_MS = 2000;

/**
 * The sandbox of this machine, tried out: a container or a kernel may forbid what is installed.
 * Where it is remembered that it worked, that is believed, and looked at once more a little later,
 * for the next process: a command whose sandbox cannot be set up does not run. Never rejects.
 */
export async function findSandbox(
  env: NodeJS.ProcessEnv,
  { platform = process.platform, cache }: { platform?: NodeJS.Platform; cache?: PrivateCache } = {},
): Promise<FoundSandbox> {
  switch (platform) {
    case 'linux': {
      const program = findProgram('bwrap', env);
      if (program === undefined) {
        return { problem: 'bubblewrap is not installed (its program `bwrap` is not on PATH).' };
      }
      const memory = cache && openProbeMemory(program, cache);
      const tryOut = async () => {
        const failure = await probe(program, [...bubblewrapBase(), '--unshare-net', '/bin/true']);
        memory?.worked(failure === undefined);
        return failure;
      };
      if (memory?.hasWorked()) {
        setTimeout(() => void tryOut(), PROBE_AGAIN_MS).unref();
        return { sandbox: bubblewrap(program) };
      }
      // Behind the first answer of an agent, which is as good as on its way.
      await nextMacrotask();
      const failure = await tryOut();
      if (failure === undefined) return { sandbox: bubblewrap(program) };
      return { problem: `bubblewrap does not work here: ${failure}` };
    }
    case 'darwin': {
      const failure = await probe(SANDBOX_EXEC, [
        '-p',
        '(version 1)(allow default)',
        '/usr/bin/true',
      ]);
      if (failure === undefined) return { sandbox: seatbelt };
      return { problem: `sandbox-exec does not work here: ${failure}` };
    }
    default:
      return { problem: `there is none for ${platform}.` };
  }
}

function bubblewrap(program: string): Sandbox {
  return {
    name: 'bubblewrap',
    wrap(argv, confinement) {
      const git = findGit(confinement.roots);
      const guarded = confinement.mode === 'workspace-write' ? git.directories : [];
      const releases = guarded.map(guardGit);
      // Looked at with the guards in place.
      const args = toBubblewrapArgs(confinement, { look, git });
      return {
        argv: [program, ...args, '--', ...argv],
        release: () => releases.forEach((release) => release()),
      };
    },
  };
}

const seatbelt: Sandbox = {
  name: 'sandbox-exec',
  wrap(argv, confinement) {
    const profile = toSeatbeltProfile(confinement, findGit(confinement.roots));
    return { argv: [SANDBOX_EXEC, '-p', profile, ...argv], release() {} };
  },
};

const look: Look = (path) => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (stats.isDirectory()) return 'directory';
  return stats.isFile() ? 'file' : 'other';
};

// Undefined when it worked, else the last line of what it said.
function probe(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      timeout: PROBE_MS_MAX,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    child.on('error', ({ message }) => resolve(message));
    child.on('close', (code, signal) => {
      const [last] = said.trim().split('\n').slice(-1);
      resolve(code === 0 ? undefined : last || `it ended with ${code ?? signal}.`);
    });
  });
}
