import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePrivateDirectory } from '../../src/base/make_directory.ts';

test('makes what is missing, for its owner alone', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'planfold-make-')), 'a', 'b');
  makePrivateDirectory(path);
  makePrivateDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test.skipIf(!existsSync('/proc/self'))('returns where nothing can be made', () => {
  expect(() => makePrivateDirectory('/proc/planfold/sessions')).toThrow(
    /ENOENT.*'\/proc\/planfold'/,
  );
});
