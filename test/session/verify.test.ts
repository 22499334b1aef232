import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLog } from '../../src/session/verify.ts';
import { type Editor, openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

let server: ModelServer;
let editor: Editor;
let lines: string[];
beforeAll(async () => {
  server = await startModelServer();
  editor = await openEditor({ server, files: { 'a.txt': 'a\n' } });
  await editor.setMode('plan');
  const calls = [
    { id: 'one', name: 'read', arguments: { path: 'a.txt' } },
    { id: 'two', name: 'read', arguments: { path: 'a.txt' } },
  ];
  server.enqueue(answer({ calls }), answer({ text: 'Read.' }));
  await editor.prompt('Read');
  server.enqueue(call('exit_plan_mode', { plan: '' }), answer({ text: 'Well.' }));
  await editor.prompt('Go on');
  await editor.close();
  lines = readFileSync(editor.logPath, 'utf8').trimEnd().split('\n');
});
afterAll(() => server.close());

const at = (part: string) => lines.findIndex((line) => line.includes(part));
const without = (index: number) => lines.toSpliced(index, 1);

/** What verify says of other lines, numbered anew as if they had been written so. */
function problemsOf(changed: string[]): string {
  const text = changed.map((line, index) => line.replace(/^\{"seq":\d+/, `{"seq":${index + 1}`));
  writeFileSync(editor.logPath, `${text.join('\n')}\n`);
  return verifyLog(editor.logPath).problems.join('\n');
}

test('the log as it was written holds', () => {
  expect(problemsOf(lines)).toBe('');
});

test.each<[string, () => string[], string]>([
  ['a call without a result', () => without(at('"callId":"two","content"')), 'without a result'],
  [
    'results in another order',
    () => {
      const [one, two] = [at('"callId":"one","content"'), at('"callId":"two","content"')];
      return lines.map(
        (line, index) => (index === one ? lines[two] : index === two ? lines[one] : line) ?? '',
      );
    },
    'which is not next',
  ],
  ['a turn that does not end', () => without(at('"turn/end","turn":1')), 'starts inside turn 1'],
  ['a turn that does not start', () => without(at('"turn/start","turn":2')), 'outside of any turn'],
  ['a step that does not end', () => without(at('"step/end"')), 'starts inside step 1'],
  ['a step that does not start', () => without(at('"step/start"')), 'outside of any step'],
  [
    'a flip that is missing',
    () => without(at('"mode/set"')),
    'the mode is default, but the header',
  ],
  [
    'a flip in the middle of a step',
    () => lines.toSpliced(at('"assistant/message"'), 0, lines[at('"mode/set"')] ?? ''),
    'stands at no boundary',
  ],
  [
    'an idle record inside a turn',
    () => lines.toSpliced(at('"user/message"'), 0, lines[at('"mode/intent"')] ?? ''),
    'stands inside a turn',
  ],
  [
    'a header that is the one before',
    () => lines.toSpliced(at('"request/header"'), 0, lines[at('"request/header"')] ?? ''),
    'the header is the one before',
  ],
  [
    'a header that was changed',
    () => lines.map((line) => line.replace('"model":"test-model"', '"model":"other"')),
    'digest',
  ],
  [
    'a step that names another header',
    () => lines.map((line) => line.replace(/"headerSeq":\d+/, '"headerSeq":1')),
    'headerSeq is 1',
  ],
])('%s is found', (_, change, words) => {
  expect(problemsOf(change())).toContain(words);
});
