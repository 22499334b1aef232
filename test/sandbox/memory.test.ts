import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openPrivateCache, type PrivateCache } from '../../src/base/private_cache.ts';
import { findSandbox } from '../../src/sandbox/find.ts';

let directory: string;
let cache: PrivateCache;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'planfold-probe-'));
  cache = openPrivateCache([join(directory, 'cache')]);
});
afterEach(() => {
  vi.useRealTimers();
});

/** A bubblewrap that counts how often it is run. */
function install(exitCode: number): void {
  const path = join(directory, 'bwrap');
  const lines = ['#!/bin/sh', `echo run >> ${directory}/runs`, `exit ${exitCode}`, ''];
  writeFileSync(path, lines.join('\n'), { mode: 0o755 });
}

function runs(): number {
  return readFileSync(join(directory, 'runs'), 'utf8').split('\n').length - 1;
}

const find = () =>
  findSandbox({ PATH: `${directory}:/usr/bin:/bin` }, { platform: 'linux', cache });

test('a sandbox that has worked is not tried out a second time before it is used', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  install(0);
  expect(await find()).toHaveProperty('sandbox');
  expect(await find()).toHaveProperty('sandbox');
  expect(runs()).toBe(1);
  // Behind that it is, for the next process.
  vi.runAllTimers();
  vi.useRealTimers();
  await expect.poll(runs).toBe(2);
});

test('another program in its place is tried out, and a failure is forgotten at once', async () => {
  install(0);
  await find();
  expect(cache.read('sandbox')).toBeDefined();
  install(3);
  expect(await find()).toHaveProperty('problem');
  expect(cache.read('sandbox')).toBeUndefined();
});

test('a failure is not remembered', async () => {
  install(1);
  expect(await find()).toEqual({
    problem: 'bubblewrap does not work here: it ended with 1.',
  });
  expect(await find()).toHaveProperty('problem');
  expect(runs()).toBe(2);
});

test('what cannot be understood is not believed', async () => {
  install(0);
  cache.write('sandbox', 'works');
  await find();
  expect(runs()).toBe(1);
});
