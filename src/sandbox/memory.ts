import { readFileSync, readlinkSync, statSync } from 'node:fs';
import type { PrivateCache } from '../base/private_cache.ts';

const NAME = 'sandbox';

/** Whether a sandbox has worked here before: trying it out takes a process of its own. */
export interface ProbeMemory {
  hasWorked: () => boolean;
  worked: (works: boolean) => void;
}

/**
 * What is remembered of `program`: until the machine starts anew, and for this very container, for
 * one and the same home directory may be seen from several. Only that it works is remembered.
 */
export function openProbeMemory(program: string, cache: PrivateCache): ProbeMemory {
  const here = identityOf(program);
  return {
    hasWorked: () => here !== undefined && cache.read(NAME)?.toString() === here,
    worked(works) {
      if (works && here !== undefined) cache.write(NAME, here);
      else cache.remove(NAME);
    },
  };
}

// Undefined where the kernel does not tell.
function identityOf(program: string): string | undefined {
  try {
    const { size, mtimeMs } = statSync(program);
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const spaces = ['user', 'mnt', 'pid'].map((name) => readlinkSync(`/proc/self/ns/${name}`));
    return JSON.stringify([program, size, mtimeMs, process.getuid?.(), boot, ...spaces]);
  } catch {
    return undefined;
  }
}
