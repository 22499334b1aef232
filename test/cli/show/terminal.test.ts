import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { renderText } from '../../../src/cli/show/terminal.ts';
import { foldTimeline } from '../../../src/cli/show/timeline.ts';
import type { LogEvent } from '../../../src/log/events.ts';
import { playRecording } from '../../harness/scenarios.ts';
import { HOSTILE } from './hostile.ts';
import { SAMPLE } from './sample.ts';
import { callOf, headerOf, ran, sessionOf, spoke, TOOLS } from './session.ts';

function textOf(events: readonly LogEvent[], colours = false): string {
  return [...renderText(foldTimeline(events, TOOLS), { colours, priceOf: () => undefined })].join(
    '',
  );
}

test('the plan-mode arc as people read it', async () => {
  const { events, normalise } = await playRecording('plan-mode', 'in-process');
  const [, , ...lines] = normalise(textOf(events)).split('\n');
  expect(lines.filter((line) => !line.startsWith('── Turn'))).toEqual([
    'replay · 1 turn · 4 requests · 6,200 tokens in (3,840 cached) · 191 out',
    '◇ Mode plan chosen, for the next turn',
    '',
    '┃ ◆ Mode plan, from default',
    '┃ ',
    '┃ You: Make greet() say "Hello, friend!" when no name is given.',
    '┃   First request: model replay',
    '┃     (thinking) I am planning, so I only look. The function is small; I read it first.',
    '┃ ● `cat greet.js` [bash]',
    '┃   ? Permission asked → allowed once',
    '┃     export function greet(name) {',
    '┃       return `Hello, ${name}!`;',
    '┃     }',
    '┃ ',
    '┃ The function interpolates the name as it is. Here is what I would change.',
    '┃ ',
    '┃ ◆ Plan: Greet without a name',
    '┃ ',
    '┃     # Greet without a name',
    '┃ ',
    '┃     `greet(undefined)` says "Hello, undefined!" today.',
    '┃ ',
    "┃     1. `greet.js`: give `name` the default `'friend'`.",
    '┃     2. Check: `node -e "import(\'./greet.js\').then((m) => console.log(m.greet()))"`',
    '┃ ',
    '┃     Nothing else imports `greet`, so no caller changes.',
    '┃ ',
    '┃   → approved',
    '┃     “Good. Keep the signature on one line.”',
    '◆ Mode default, from plan',
    '  Requests from here on: − section mode, − tool exit_plan_mode',
    '    (thinking) Approved. One default parameter does it.',
    '● Edit greet.js [edit]',
    '  ? Permission asked → allowed once',
    '    {{cwd}}/greet.js',
    '    -export function greet(name) {',
    "    +export function greet(name = 'friend') {",
    '       return `Hello, ${name}!`;',
    '     }',
    '',
    'Done: `greet()` now says "Hello, friend!" (greet.js:1).',
    '',
  ]);
});

test('nothing of a hostile session acts on the terminal', () => {
  const text = textOf(HOSTILE);
  expect(text.match(/[^\P{C}\n\t]/gu)).toBeNull();
  expect(text).toContain('<U+202E>gnp.exe<U+202C>');
  const coloured = textOf(HOSTILE, true);
  expect(stripVTControlCharacters(coloured)).toBe(text);
  // What is left are colours, which are ours.
  expect(coloured.replaceAll(/\u001b\[\d+m/g, '').match(/[^\P{C}\n\t]/gu)).toBeNull();
});

test('colours add nothing but colours', () => {
  expect(stripVTControlCharacters(textOf(SAMPLE, true))).toBe(textOf(SAMPLE));
  expect(textOf(SAMPLE, true)).not.toBe(textOf(SAMPLE));
});

test('a long output is cut, and says by how much', () => {
  const call = callOf('c', 'bash', { command: 'seq 100' });
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
  const text = textOf(
    sessionOf(
      { type: 'turn/start', turn: 1 },
      { type: 'request/header', reason: 'initial', header: headerOf('default') },
      spoke({ calls: [call] }),
      ...ran(call, lines.join('\n')),
    ),
  );
  expect(text).toContain('line 11\n    … 89 more lines\n');
  expect(text).toContain('Turn 1 has no end in the log');
});
