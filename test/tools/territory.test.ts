import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  createMay,
  isInside,
  lookAtPath,
  surveyTerritory,
  type Territory,
} from '../../src/tools/territory.ts';

const makeDirectory = () => realpathSync(mkdtempSync(join(tmpdir(), 'planfold-territory-')));

const TERRITORY: Territory = {
  roots: ['/w', '/x/y'],
  readable: ['/data/out'],
  secrets: ['/w/key', '/h/.ssh'],
};

describe('what is inside', () => {
  test.each([
    ['/w', true, true],
    ['/w/a', true, true],
    ['/wide', false, false],
    ['/x', false, false],
    ['/x/y/z', true, true],
    ['/data/out/1.txt', true, false],
    ['/data', false, false],
    ['/w/key', false, false],
    ['/w/key/a', false, false],
    ['/w/keys', true, true],
    ['/h/.ssh/id', false, false],
    ['/w/.git/config', true, false],
    ['/w/.git', true, false],
    ['/w/a/.git/hooks/x', true, false],
    ['/w/.GIT/config', true, false],
    ['/w/.github/x', true, true],
    ['/w/.gitignore', true, true],
    ['/', false, false],
  ])('%s: read %s, change %s', (path, read, change) => {
    expect(isInside(TERRITORY, path, 'read')).toBe(read);
    expect(isInside(TERRITORY, path, 'change')).toBe(change);
  });

  test('below the root of the system lies everything but the secrets', () => {
    const territory = { ...TERRITORY, roots: ['/'] };
    expect(isInside(territory, '/etc/passwd', 'change')).toBe(true);
    expect(isInside(territory, '/h/.ssh/id', 'read')).toBe(false);
  });

  test('without roots nothing is', () => {
    expect(isInside({ roots: [], readable: [], secrets: [] }, '/w', 'read')).toBe(false);
  });
});

describe('a named path is judged by where it leads', () => {
  const root = makeDirectory();
  const outside = makeDirectory();
  mkdirSync(join(root, 'd/e'), { recursive: true });
  writeFileSync(join(outside, 'file'), '');
  symlinkSync(outside, join(root, 'out'));
  symlinkSync('out', join(root, 'again'));
  symlinkSync(join(outside, 'none'), join(root, 'dangling'));
  symlinkSync('circle', join(root, 'circle'));
  symlinkSync('d/e', join(root, 'within'));
  symlinkSync(root, join(outside, 'back'));
  const territory = { roots: [root], readable: [], secrets: [] };

  test.each([
    ['d/e', true],
    ['d/new/deeper', true],
    ['within/new', true],
    ['d/../d/e', true],
    ['..', false],
    [`d/../../${outside.split('/').at(-1)}/file`, false],
    ['out', false],
    ['out/file', false],
    ['out/new/deeper', false],
    ['again/file', false],
    [join(outside, 'back/d'), true],
    ['/dev/zero', false],
    ['/proc/self/environ', false],
  ])('%s: inside %s', (named, inside) => {
    const look = { territory, cwd: root, use: 'change' } as const;
    expect(lookAtPath(look, named).inside).toBe(inside);
  });

  // What is judged inside here is refused when it is used: a link is never written over.
  test.each(['dangling', 'circle'])('a link that leads nowhere keeps its name: %s', (named) => {
    const look = { territory, cwd: root, use: 'change' } as const;
    expect(lookAtPath(look, named).real).toBe(join(root, named));
  });
});

describe('what was approved', () => {
  test('holds for that path and what lies below it', () => {
    const may = createMay(TERRITORY, ['/other/d']);
    expect(may('/other/d/a', 'change')).toBe(true);
    expect(may('/other/d', 'read')).toBe(true);
    expect(may('/other/dd', 'read')).toBe(false);
    expect(may('/other', 'read')).toBe(false);
  });

  test('is no leave for the credentials below, unless they were named', () => {
    expect(createMay(TERRITORY, ['/h'])('/h/.ssh/id', 'read')).toBe(false);
    expect(createMay(TERRITORY, ['/h'])('/h/notes', 'read')).toBe(true);
    expect(createMay(TERRITORY, ['/h/.ssh/id'])('/h/.ssh/id', 'read')).toBe(true);
    expect(createMay(TERRITORY, ['/h/.ssh/id'])('/h/.ssh/other', 'read')).toBe(false);
  });
});

describe('a survey', () => {
  test('leaves out secrets that are not there, and follows those that are links', () => {
    const home = makeDirectory();
    mkdirSync(join(home, 'real'));
    symlinkSync('real', join(home, '.ssh'));
    const secrets = [join(home, '.ssh'), join(home, '.none')];
    const root = makeDirectory();
    const territory = surveyTerritory({ roots: [root], spillDirectory: '/none', secrets });
    expect(territory.secrets).toEqual([join(home, 'real')]);
  });

  test('takes a root inside a secret for a place to work in', () => {
    const home = makeDirectory();
    const root = join(home, '.aws/work');
    mkdirSync(root, { recursive: true });
    const secrets = [join(home, '.aws')];
    const territory = surveyTerritory({ roots: [root], spillDirectory: '/none', secrets });
    expect(territory.secrets).toEqual([]);
    expect(isInside(territory, join(home, '.aws/credentials'), 'read')).toBe(false);
  });
});
