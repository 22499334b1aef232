import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Script } from 'node:vm';
import type { PrivateCache } from '../base/private_cache.ts';

/**
 * The code that V8 made of the program's files, kept for the next process. Without it everything
 * works the same, and a start takes longer.
 */
export interface CodeCache {
  /** The code of a file; undefined where there is none. */
  find: (name: string) => Buffer | undefined;
  /** Takes in a loaded file and the code that V8 took for it, to be kept a little later. */
  add: (name: string, script: Script, code: Buffer | undefined) => void;
}

/** How long nothing new may come before what came is written, in milliseconds. */
const QUIET_MS = 2000;

/** How much more of a file must have been compiled for its code to be written again. */
const GROWTH_MIN = 1.25;

const DIGEST_BYTES = 32;

/**
 * The code of one build of the program for this very Node, a file of `cache` for each of its own.
 * What V8 is given it runs, hence a private cache. `build` tells two builds apart, which V8 does
 * not.
 */
export function openCodeCache(cache: PrivateCache, build: string): CodeCache {
  const prefix = `${build}-${nodeIdentity()}`;
  const loaded = new Map<string, { script: Script; bytes: number }>();
  let timer: NodeJS.Timeout | undefined;
  const write = (isDue: (bytes: number) => boolean) => {
    for (const [name, { script, bytes }] of loaded) {
      if (!isDue(bytes)) continue;
      const code = script.createCachedData();
      if (code.length < bytes * GROWTH_MIN) continue;
      cache.write(`${prefix}-${name}`, Buffer.concat([digestOf(code), code]));
      loaded.set(name, { script, bytes: code.length });
    }
  };
  const writeNew = () => write((bytes) => bytes === 0);
  // A process that is killed has written by then, one that ends by itself may not have. What a
  // short command left out, the first agent adds.
  process.once('exit', () => write(() => true));
  return {
    find: (name) => check(cache.read(`${prefix}-${name}`)),
    add(name, script, code) {
      loaded.set(name, { script, bytes: code?.length ?? 0 });
      if (code) return;
      clearTimeout(timer);
      timer = setTimeout(writeNew, QUIET_MS).unref();
    },
  };
}

// V8 would run what a disk has damaged.
function check(content: Buffer | undefined): Buffer | undefined {
  const code = content?.subarray(DIGEST_BYTES);
  const isWhole = code && digestOf(code).equals(content?.subarray(0, DIGEST_BYTES) ?? code);
  return isWhole ? code : undefined;
}

function digestOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

// V8 looks at its version and flags by itself, and not at how it was built.
function nodeIdentity(): string {
  const { size = 0, mtimeMs = 0 } = statSync(process.execPath, { throwIfNoEntry: false }) ?? {};
  return `${process.version}-${process.arch}-${size}-${Math.trunc(mtimeMs)}`;
}
