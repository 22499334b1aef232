import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { walkFiles } from '../../src/tools/walk.ts';

function tree(files: Record<string, string>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-walk-')));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

async function walked(root: string, below = '.'): Promise<string[]> {
  const found: string[] = [];
  const directory = join(root, below);
  const { signal } = new AbortController();
  for await (const path of walkFiles(directory, signal)) found.push(relative(root, path));
  return found;
}

test('lists hidden files, in the order of their bytes, and nothing of .git', async () => {
  const root = tree({ 'b.txt': '', 'B.txt': '', '.h/x': '', 'é.txt': '', 'a b': '', 'a/c': '' });
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.git/config'), '');
  expect(await walked(root)).toEqual(['.h/x', 'B.txt', 'a/c', 'a b', 'b.txt', 'é.txt']);
});

test('follows no link', async () => {
  const root = tree({ 'd/x': '', f: '' });
  symlinkSync('d', join(root, 'dirlink'));
  symlinkSync('f', join(root, 'filelink'));
  symlinkSync('.', join(root, 'd/loop'));
  expect(await walked(root)).toEqual(['d/x', 'f']);
});

// What git lists is the measure: every file that is not ignored.
test('ignores what git ignores', async () => {
  const root = tree({
    '.gitignore':
      '# note\n*.log\n!keep.log\n/build/\nnode_modules\nout/*\n!out/kept\n\\#odd\nname\\ \n',
    'a.log': '',
    'keep.log': '',
    'build/x': '',
    'Build/x': '',
    'sub/build/x': '',
    'sub/node_modules/x': '',
    'out/gone': '',
    'out/kept': '',
    '#odd': '',
    'name ': '',
    'sub/.gitignore': 'keep.log\r\n!a.log\r\n/only\n',
    'sub/keep.log': '',
    'sub/a.log': '',
    'sub/only': '',
    'sub/deep/only': '',
    'sub/deep/z.log': '',
    'sub/deep/.gitignore': '!z.log\n',
    'line\nbreak.txt': '',
    'co:lon': '',
    'ü/ñ': '',
  });
  execFileSync('git', ['init', '-q', root]);
  const listed = execFileSync(
    'git',
    ['-c', 'core.excludesFile=/dev/null', 'ls-files', '-z', '--others', '--exclude-standard'],
    { cwd: root, encoding: 'utf8' },
  );
  const files = listed.split('\0').filter((path) => path !== '');
  expect(files).toContain('Build/x');
  expect((await walked(root)).toSorted()).toEqual(files.toSorted());
});

test('a .gitignore that is no regular file has no rules, and is not waited for', async () => {
  const root = tree({ rules: 'a\n', a: '', 'sub/b': '' });
  symlinkSync('rules', join(root, '.gitignore'));
  execFileSync('mkfifo', [join(root, 'sub/.gitignore')]);
  expect(await walked(root)).toEqual(['a', 'rules', 'sub/b']);
});

test('heeds the rules of parent directories up to the root of the repository', async () => {
  const outer = tree({
    '.gitignore': '*.ts\n',
    'repo/.git/HEAD': '',
    'repo/.gitignore': '*.log\n/sub/no\n',
    'repo/sub/a.log': '',
    'repo/sub/no': '',
    'repo/sub/a.ts': '',
  });
  expect(await walked(outer, 'repo/sub')).toEqual(['repo/sub/a.ts']);
});

test('lists a directory that is ignored when it is the one asked for', async () => {
  const root = tree({ '.git/HEAD': '', '.gitignore': 'dist/\n*.map\n', 'dist/a.js': '' });
  expect(await walked(root)).toEqual(['.gitignore']);
  expect(await walked(root, 'dist')).toEqual(['dist/a.js']);
});

test('passes over a directory that is not there', async () => {
  expect(await walked(tree({}), 'gone')).toEqual([]);
});

test('ends when it is aborted', async () => {
  const root = tree({ a: '', b: '', 'c/d': '' });
  const controller = new AbortController();
  const found: string[] = [];
  for await (const path of walkFiles(root, controller.signal)) {
    found.push(relative(root, path));
    controller.abort();
  }
  expect(found).toEqual(['a']);
});
