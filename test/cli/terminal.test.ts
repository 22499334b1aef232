import { expect, test } from 'vitest';
import { toPlain, toVisible } from '../../src/cli/terminal.ts';

test.each([
  ['a\tb\nc\r\nd', 'a\tb\nc\nd'],
  ['\u001b[2Jgone', '␛[2Jgone'],
  ['\u009b31m', '<U+009B>31m'],
  ['a\u0007\u007f', 'a␇<U+007F>'],
  ['\u202egnp.exe', '<U+202E>gnp.exe'],
  ['a\u2066b\u2069\u200f\u061c', 'a<U+2066>b<U+2069><U+200F><U+061C>'],
  ['no\u200broom\ufeff\u3164', 'no<U+200B>room<U+FEFF><U+3164>'],
  ['half \ud83d', 'half <U+D83D>'],
  ['tag \u{e0041}', 'tag <U+E0041>'],
  ['مرحبا 👩‍👩‍👧 naïve', 'مرحبا 👩‍👩‍👧 naïve'],
])('%j shows as %j', (text, shown) => {
  expect(toVisible(text)).toBe(shown);
});

test('the colours of a program go, what is left shows', () => {
  expect(toPlain('\u001b[31mred\u001b[0m \u0007\u202e')).toBe('red ␇<U+202E>');
});
