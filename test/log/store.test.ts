import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import { createStore } from '../../src/log/store.ts';
import { readLog } from '../../src/log/read.ts';
import { logOf } from './facts.ts';
import { canMount, fill, mountSmall, unmount } from './smallDisk.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-store-')));
  path = join(directory, 'sessions', 'w-1', 's.jsonl');
});
afterEach(() => rmSync(directory, { recursive: true }));

const title = (text: string) => ({ type: 'session/title', title: text, source: 'user' }) as const;

test.skipIf(process.platform === 'win32')('the log is for its user alone', () => {
  const before = process.umask(0);
  try {
    createStore(path).close();
  } finally {
    process.umask(before);
  }
  const modeOf = (of: string) => (statSync(of).mode & 0o777).toString(8);
  expect(modeOf(path)).toBe('600');
  expect(modeOf(dirname(path))).toBe('700');
  expect(modeOf(dirname(dirname(path)))).toBe('700');
});

test('each event is one line of JSON, on disk when append returns', () => {
  const store = createStore(path);
  let text = '';
  for (const event of logOf(title('a\nb\r\u2028c'), title('d'))) {
    store.append(event);
    text += `${JSON.stringify(event)}\n`;
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
  store.close();
  expect(text.split('\n').length).toBe(4);
});

test('a log that is there already is not written over', () => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'mine');
  expect(() => createStore(path)).toThrow(UserError);
  expect(() => createStore(path)).toThrow(`Could not create the session log ${path}: EEXIST`);
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

test('a file in place of a directory is named', () => {
  writeFileSync(join(directory, 'sessions'), '');
  expect(() => createStore(path)).toThrow(`Could not create the session log ${path}: ENOTDIR`);
});

describe.skipIf(!canMount())('a disk that refuses', () => {
  let disk: string;
  beforeEach(() => {
    disk = join(directory, 'disk');
    mountSmall(disk);
    path = join(disk, 's.jsonl');
  });
  afterEach(() => unmount(disk));

  const FULL = (of: string) =>
    `Could not write the session log ${of}: no space is left on the device (ENOSPC). ` +
    'Free some space, then try again.';

  test('a line that does not fit leaves no half of it, and fits once there is space', () => {
    const store = createStore(path);
    const [first, second, third] = logOf(title('x'.repeat(20_000)), title('y'));
    if (!first || !second || !third) throw new Error('three events');
    store.append(first);
    const release = fill(disk);
    for (let tries = 0; tries < 2; tries++) {
      expect(() => store.append(second)).toThrow(new UserError(FULL(path)));
      expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(first)}\n`);
    }
    release();
    store.append(second);
    store.append(third);
    store.close();
    expect(readLog(path)).toEqual([first, second, third]);
  });

  test('a log whose line 1 does not fit is not left behind', () => {
    const store = createStore(path);
    const release = fill(disk);
    const [first] = logOf();
    if (!first) throw new Error('one event');
    expect(() => store.append(first)).toThrow(new UserError(FULL(path)));
    store.close();
    expect(existsSync(path)).toBe(false);
    release();
  });

  test('a read-only one is named with the way out', () => {
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    expect(() => createStore(path)).toThrow(
      new UserError(
        `Could not create the session log ${path}: the file system is read-only (EROFS). ` +
          'Set PLANFOLD_HOME to a writable directory.',
      ),
    );
  });
});
