import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expandPrompt, parsePromptFile, readPromptFiles } from '../../src/config/prompt_files.ts';

test('front matter gives description and hint; the rest is the prompt', () => {
  const text = '---\r\ndescription: "Review a change"\nargument-hint: path\nmodel: x\n---\nLook.\n';
  expect(parsePromptFile('review', text)).toEqual({
    name: 'review',
    description: 'Review a change',
    hint: 'path',
    text: 'Look.',
  });
});

test.each(['Look.', '---\nnot closed\nLook.', '\uFEFFLook.\n'])('without it: %j', (text) => {
  const { description, hint } = parsePromptFile('review', text);
  expect(description).toBe('Prompt of this project: review.md');
  expect(hint).toBeUndefined();
});

test('what is typed stands in the place of $ARGUMENTS, as it is, else behind the text', () => {
  const file = (text: string) => parsePromptFile('x', text);
  expect(expandPrompt(file('Fix $ARGUMENTS now: $ARGUMENTS'), '$& it')).toBe(
    'Fix $& it now: $& it',
  );
  expect(expandPrompt(file('Fix it.'), 'please')).toBe('Fix it.\n\nplease');
  expect(expandPrompt(file('Fix it.'), '')).toBe('Fix it.');
});

test('files that are none are passed over', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'planfold-prompts-'));
  expect(readPromptFiles(cwd)).toEqual([]);
  const directory = join(cwd, '.planfold', 'commands');
  mkdirSync(join(directory, 'folder.md'), { recursive: true });
  writeFileSync(join(directory, 'b.md'), 'B');
  writeFileSync(join(directory, 'a-1.md'), 'A');
  writeFileSync(join(directory, 'empty.md'), ' \n');
  writeFileSync(join(directory, 'no prompt.md'), 'x');
  writeFileSync(join(directory, 'notes.txt'), 'x');
  writeFileSync(join(directory, 'huge.md'), 'x'.repeat(100_000));
  symlinkSync('/dev/zero', join(directory, 'zero.md'));
  symlinkSync('/etc/hostname', join(directory, 'outside.md'));
  expect(readPromptFiles(cwd).map(({ name }) => name)).toEqual(['a-1', 'b']);
});
