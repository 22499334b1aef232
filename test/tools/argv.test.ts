import { describe, expect, test } from 'vitest';
import { isNamed, parseArgv, toNamedCommand } from '../../src/tools/argv.ts';

describe('parseArgv', () => {
  test.each<[string, string[]]>([
    ['git status', ['git', 'status']],
    ['  git\t status  --short ', ['git', 'status', '--short']],
    [`echo 'a; b' "c | d" e`, ['echo', 'a; b', 'c | d', 'e']],
    [`echo a'b c'd`, ['echo', 'ab cd']],
    [`echo ''`, ['echo', '']],
    ['./run.sh --level=3 a,b @x user+tag', ['./run.sh', '--level=3', 'a,b', '@x', 'user+tag']],
    ['cat größe.txt', ['cat', 'größe.txt']],
  ])('%j', (line, words) => {
    expect(parseArgv(line)).toEqual(words);
  });

  test.each([
    '',
    '   ',
    `''`,
    'a; b',
    'a & b',
    'a | b',
    'a > b',
    'a < b',
    'a\nb',
    'a\rb',
    'echo $HOME',
    'echo `id`',
    'echo "$(id)"',
    'echo "`id`"',
    'echo "a\\"b"',
    'echo a\\ b',
    'echo *',
    'echo a?',
    'echo [a]',
    'echo {a,b}',
    'echo ~',
    'echo !x',
    'echo "!x"',
    'echo #x',
    '(a)',
    'A=b',
    'A=b c',
    '=ls',
    'echo =ls',
    `echo 'a`,
    'echo "a',
    `echo 'a\nb'`,
    'echo ^x^y',
    'echo %1',
    'echo a\u00a0b',
    'echo a\u2028b',
    'echo \u0000',
  ])('%j is no plain command', (line) => {
    expect(parseArgv(line)).toBeUndefined();
  });
});

describe('what a command is named by', () => {
  test.each<[string[], { argv: string[]; open: boolean }]>([
    [['git', 'status', '--short'], { argv: ['git', 'status'], open: true }],
    [['npm', 'test', '--', 'a'], { argv: ['npm', 'test'], open: true }],
    // What follows decides what runs.
    [['npm', 'run', 'build'], { argv: ['npm', 'run', 'build'], open: false }],
    [['git', '-c', 'a=b', 'status'], { argv: ['git', '-c', 'a=b', 'status'], open: false }],
    [['git', 'rebase', '-x', 'id'], { argv: ['git', 'rebase', '-x', 'id'], open: false }],
    [['make', '-f', 'x'], { argv: ['make', '-f', 'x'], open: false }],
    [['git'], { argv: ['git'], open: false }],
    [['./git', 'status'], { argv: ['./git', 'status'], open: false }],
    [['rm', 'build'], { argv: ['rm', 'build'], open: false }],
    [['sh', '-c', 'id'], { argv: ['sh', '-c', 'id'], open: false }],
  ])('%j', (argv, named) => {
    expect(toNamedCommand(argv)).toEqual(named);
  });

  test('an open name takes more words behind it, a closed one none, and neither takes fewer', () => {
    const open = { argv: ['git', 'status'], open: true };
    expect(isNamed(['git', 'status', '-s'], open)).toBe(true);
    expect(isNamed(['git'], open)).toBe(false);
    expect(isNamed(['git', '-c', 'a=b', 'status'], open)).toBe(false);
    const closed = { argv: ['rm', 'build'], open: false };
    expect(isNamed(['rm', 'build'], closed)).toBe(true);
    expect(isNamed(['rm', 'build', 'src'], closed)).toBe(false);
  });
});
