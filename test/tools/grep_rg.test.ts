import { expect, test } from 'vitest';
import { toRipgrepPattern } from '../../src/tools/grep_rg.ts';

test.each([
  ['a\\.b*', 'a\\.b*'],
  ['a.b', 'a(?:[^\\n]|(?-u:[\\x80-\\xff]))b'],
  ['\\d+\\/[\\w/-]', undefined],
  ['\\d+\\/[a-z\\d]', '[0-9]+/[a-z0-9]'],
  ['[\\/.]ts', '[/.]ts'],
  ['\\bfoo\\b', '(?-u:\\b)foo(?-u:\\b)'],
])('ripgrep is given its own spelling of %s', (pattern, translated) => {
  expect(toRipgrepPattern(pattern, false)).toBe(translated);
});

test.each([
  'é',
  '(?=a)',
  '(?<n>a)',
  '(a)\\1',
  '\\p{L}',
  '[[:alpha:]]',
  '[^a]',
  '\\s',
  '[a&&b]',
  '\\n',
  'a\nb',
])('ripgrep is not asked for %j, which it may read otherwise', (pattern) => {
  expect(toRipgrepPattern(pattern, false)).toBeUndefined();
});
