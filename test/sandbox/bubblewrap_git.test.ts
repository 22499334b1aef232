import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { confined, hasBubblewrap, makeVisible, put, removeVisible } from '../harness/confined.ts';

afterAll(removeVisible);

const IDENTITY = ['-c', 'user.name=n', '-c', 'user.email=e', '-c', 'core.fsmonitor=false'];

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', [...IDENTITY, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' });
}

function makeRepository(): string {
  const root = makeVisible();
  git(root, 'init', '-q');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'first');
  return root;
}

/** Runs what a person would, and tells whether that ran what a command has planted. */
function springs(root: string, mark: string): boolean {
  for (const args of [['status'], ['commit', '-q', '--allow-empty', '-m', 'next']]) {
    try {
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], {
        cwd: root,
        stdio: 'pipe',
      });
    } catch {
      // A repository that was made unusable runs nothing either.
    }
  }
  return existsSync(mark);
}

/** How a command plants what git runs; `HOOK` is such a script, `CONFIG` names one. */
const PLANTS: readonly [string, string][] = [
  ['a new hook', 'cp HOOK .git/hooks/pre-commit'],
  ['other hooks', 'rm -rf .git/hooks; mkdir .git/hooks; cp HOOK .git/hooks/pre-commit'],
  [
    'hooks under another name',
    'mv .git/hooks .git/h; mkdir .git/hooks; cp HOOK .git/hooks/pre-commit',
  ],
  ['configuration', 'cat CONFIG >> .git/config'],
  ['new configuration', 'cp .git/config c; cat CONFIG >> c; mv c .git/config'],
  ['through git', 'git config core.fsmonitor "$PWD/HOOK"; git config core.hooksPath "$PWD"'],
  ['configuration of a worktree', 'cp CONFIG .git/config.worktree'],
  [
    'another common directory',
    'cp -r .git evil; cat CONFIG >> evil/config; rm -f .git/commondir; echo ../evil > .git/commondir',
  ],
  ['another repository', 'cp -r .git evil; cat CONFIG >> evil/config; mv .git g; mv evil .git'],
  ['a link to another', 'cp -r .git evil; cat CONFIG >> evil/config; rm -rf .git; ln -s evil .git'],
];

describe.skipIf(!hasBubblewrap)('nothing is planted that git runs outside', () => {
  function prepare(root: string): string {
    const mark = join(makeVisible(), 'mark');
    const hook = join(root, 'HOOK');
    writeFileSync(hook, `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
    put(root, { CONFIG: `[core]\n\tfsmonitor = ${hook}\n\thooksPath = ${root}\n` });
    return mark;
  }

  test.each(PLANTS)('%s', async (_, script) => {
    const root = makeRepository();
    // Read only where this is set, and so worth an attempt.
    git(root, 'config', 'extensions.worktreeConfig', 'true');
    const mark = prepare(root);
    const { startError, output } = await confined(`${script}; echo end`, { roots: [root] });
    expect(startError).toBeUndefined();
    expect(output).toContain('end\n');
    expect(springs(root, mark)).toBe(false);
  });

  test('and nothing is left of what kept it from that', async () => {
    const root = makeRepository();
    const before = readdirSync(join(root, '.git')).toSorted();
    await confined('ls -a .git', { roots: [root] });
    expect(readdirSync(join(root, '.git')).toSorted()).toEqual(before);
  });

  test('where there are no hooks', async () => {
    const root = makeRepository();
    rmSync(join(root, '.git/hooks'), { recursive: true });
    const mark = prepare(root);
    await confined('mkdir .git/hooks; cp HOOK .git/hooks/pre-commit', { roots: [root] });
    expect(springs(root, mark)).toBe(false);
  });

  test('where the hooks are a link', async () => {
    const root = makeRepository();
    rmSync(join(root, '.git/hooks'), { recursive: true });
    symlinkSync('../scripts', join(root, '.git/hooks'));
    mkdirSync(join(root, 'scripts'));
    const mark = prepare(root);
    await confined('rm .git/hooks; mkdir .git/hooks; cp HOOK .git/hooks/pre-commit', {
      roots: [root],
    });
    expect(springs(root, mark)).toBe(false);
  });

  test.each(['link', 'file'])('where `.git` is a %s to a directory inside', async (kind) => {
    const root = makeRepository();
    renameSync(join(root, '.git'), join(root, 'real'));
    if (kind === 'link') symlinkSync('real', join(root, '.git'));
    else writeFileSync(join(root, '.git'), 'gitdir: real\n');
    const mark = prepare(root);
    const plant =
      'cp HOOK real/hooks/pre-commit; cat CONFIG >> real/config; ' +
      'cp -r real r; cat CONFIG >> r/config; mv real x; mv r real';
    await confined(plant, { roots: [root] });
    expect(springs(root, mark)).toBe(false);
  });

  test('where the root is a worktree of a repository elsewhere', async () => {
    const main = makeRepository();
    const root = join(makeVisible(), 'worktree');
    git(main, 'worktree', 'add', '-q', root);
    const mark = prepare(root);
    const before = readFileSync(join(root, '.git'), 'utf8');
    const plant =
      `cp HOOK '${main}/.git/hooks/pre-commit'; git config core.hooksPath "$PWD"; ` +
      'git init -q evil; cat CONFIG >> evil/.git/config; echo "gitdir: evil/.git" > .git; ' +
      'rm .git; mv .git g; mv evil/.git .git';
    await confined(plant, { roots: [root] });
    expect(readFileSync(join(root, '.git'), 'utf8')).toBe(before);
    expect(springs(root, mark)).toBe(false);
  });
});

describe.skipIf(!hasBubblewrap)('git is of use', () => {
  test('in workspace-write it commits, branches and cleans up', async () => {
    const root = makeRepository();
    const script =
      'set -e; git() { command git -c user.name=n -c user.email=e "$@"; }; echo a > a; ' +
      'git add a; git commit -qm second; git switch -qc other; git stash list; git gc -q; ' +
      'git rebase -q HEAD~1; git status --short; git log --oneline | wc -l';
    const { output, exitCode } = await confined(script, { roots: [root] });
    expect(output.trim()).toBe('2');
    expect(exitCode).toBe(0);
    git(root, 'worktree', 'add', '-q', join(makeVisible(), 'w'));
    git(root, 'config', 'a.b', 'c');
    expect(git(root, 'status', '--short')).toBe('');
  });

  test('in read-only it looks, and leaves the directory as it was', async () => {
    const root = makeRepository();
    const before = readdirSync(join(root, '.git')).toSorted();
    const { exitCode } = await confined('git status && git log && ! git tag x', {
      mode: 'read-only',
      roots: [root],
    });
    expect(exitCode).toBe(0);
    expect(readdirSync(join(root, '.git')).toSorted()).toEqual(before);
  });
});
