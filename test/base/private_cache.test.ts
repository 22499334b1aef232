import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openPrivateCache } from '../../src/base/private_cache.ts';

let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'planfold-cache-')), 'a/b');
});

test('what was written is read, whole and by its owner alone', () => {
  const cache = openPrivateCache([directory]);
  expect(cache.read('x')).toBeUndefined();
  cache.write('x', 'one');
  cache.write('x', 'two');
  expect(cache.read('x')?.toString()).toBe('two');
  expect(readdirSync(directory)).toEqual(['x']);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, 'x')).mode & 0o777).toBe(0o600);
  cache.remove('x');
  cache.remove('x');
  expect(cache.read('x')).toBeUndefined();
});

test.each([0o720, 0o702])('a directory that others can write (%o) is left alone', (mode) => {
  openPrivateCache([directory]).write('x', 'mine');
  chmodSync(directory, mode);
  const cache = openPrivateCache([directory]);
  expect(cache.read('x')).toBeUndefined();
  cache.write('y', 'mine');
  expect(existsSync(join(directory, 'y'))).toBe(false);
});

test.each([0o620, 0o602])('a file that others can write (%o) is not read', (mode) => {
  const cache = openPrivateCache([directory]);
  cache.write('x', 'mine');
  chmodSync(join(directory, 'x'), mode);
  expect(cache.read('x')).toBeUndefined();
});

test('a link is not followed, neither to a file nor as the directory', () => {
  const cache = openPrivateCache([directory]);
  cache.write('x', 'mine');
  symlinkSync(join(directory, 'x'), join(directory, 'link'));
  expect(cache.read('link')).toBeUndefined();
  symlinkSync(directory, `${directory}-link`);
  expect(openPrivateCache([`${directory}-link`]).read('x')).toBeUndefined();
});

test('a place where nothing can be kept is no error', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'planfold-cache-')), 'file');
  writeFileSync(file, '');
  const cache = openPrivateCache([join(file, 'below')]);
  cache.write('x', 'mine');
  expect(cache.read('x')).toBeUndefined();
  const taken = openPrivateCache([directory]);
  mkdirSync(join(directory, 'x'));
  taken.write('x', 'mine');
  expect(taken.read('x')).toBeUndefined();
  expect(readdirSync(directory)).toEqual(['x']);
});

test('the first place that will do is written, and every one is read', () => {
  const second = `${directory}-second`;
  openPrivateCache([second]).write('x', 'there');
  const cache = openPrivateCache([directory, second]);
  expect(cache.read('x')?.toString()).toBe('there');
  cache.write('y', 'here');
  expect(readdirSync(directory)).toEqual(['y']);
  cache.write('x', 'here');
  expect(cache.read('x')?.toString()).toBe('here');
  chmodSync(directory, 0o777);
  openPrivateCache([directory, second]).write('y', 'there');
  expect(readdirSync(second).toSorted()).toEqual(['x', 'y']);
});
