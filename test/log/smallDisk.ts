import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../src/base/errors.ts';

/** Mounts a disk of 64 KiB on a new directory. */
export function mountSmall(directory: string): void {
  mkdirSync(directory);
  const options = ['-t', 'tmpfs', '-o', 'size=64k,huge=never', 'tmpfs', directory];
  execFileSync('mount', options, { stdio: 'pipe' });
}

/** Takes the disk away again. */
export function unmount(directory: string): void {
  execFileSync('umount', ['--lazy', directory]);
}

/** Whether this process may mount at all: as root of a machine, seldom in a container. */
export function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const parent = mkdtempSync(join(tmpdir(), 'planfold-disk-'));
  const directory = join(parent, 'disk');
  try {
    mountSmall(directory);
    unmount(directory);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(parent, { recursive: true });
  }
}

/** Fills the disk to its last block; gives back what frees it. */
export function fill(directory: string): () => void {
  const path = join(directory, 'filler');
  const fd = openSync(path, 'w');
  try {
    for (;;) writeSync(fd, Buffer.alloc(1024));
  } catch (error) {
    if (codeOf(error) !== 'ENOSPC') throw error;
  } finally {
    closeSync(fd);
  }
  return () => unlinkSync(path);
}
