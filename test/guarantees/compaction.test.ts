import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { foldMode, foldState } from '../../src/log/folds.ts';
import { verifyLog } from '../../src/session/verify.ts';
import { type Editor, type EditorOptions, openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const SUMMARY = 'We looked at everything.';
const LONG = 'A long answer. '.repeat(200);

const OVERFLOW = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  chunks: [
    JSON.stringify({
      error: {
        message: "This model's maximum context length is 128000 tokens.",
        code: 'context_length_exceeded',
      },
    }),
  ],
};

/** A session with a few turns behind it. */
async function talked(options: Partial<EditorOptions> = {}): Promise<Editor> {
  const editor = await openEditor({ server, ...options });
  for (const text of ['One', 'Two', 'Three']) {
    server.enqueue(answer({ text: LONG }));
    await editor.prompt(text);
  }
  return editor;
}

function contents(): unknown[] {
  return (server.requests.at(-1)?.body.messages ?? []).map(({ content }) => content);
}

test('/compact replaces all but the recent messages, and never reaches the model itself', async () => {
  const editor = await talked();
  server.enqueue(answer({ text: SUMMARY }), answer({ text: 'Here.' }));
  expect((await editor.prompt('/compact')).stopReason).toBe('end_turn');
  const asked = server.requests.at(-1)?.text ?? '';
  const before = server.requests.at(-2)?.text.replace(/\]\}$/, '') ?? '';
  // The same prefix as the conversation: what a provider has cached of it stays of use.
  expect(asked.startsWith(before.slice(0, before.lastIndexOf('{"role":"assistant"')))).toBe(true);
  await editor.prompt('Where are we?');
  await editor.close();
  expect(contents()[1]).toBe(`<context source="compaction">\n${SUMMARY}\n</context>`);
  expect(contents()).not.toContain('One');
  expect(contents()).not.toContain('/compact');
  expect(verifyLog(editor.logPath)).toMatchObject({ problems: [], turns: 5 });
});

test('an overflow makes room once, and the turn goes on', async () => {
  const editor = await talked();
  server.enqueue(OVERFLOW, answer({ text: SUMMARY }), answer({ text: 'Now it fits.' }));
  expect((await editor.prompt('Four')).stopReason).toBe('end_turn');
  await editor.close();
  expect(contents().at(-1)).toBe('Four');
  expect(contents()[1]).toContain(SUMMARY);
  expect(verifyLog(editor.logPath).problems).toEqual([]);
});

test('a second overflow, or a failed summary, is the error a person reads', async () => {
  const editor = await talked();
  server.enqueue(OVERFLOW, answer({ text: SUMMARY }), OVERFLOW);
  await expect(editor.prompt('Four')).rejects.toThrow('maximum context length');
  server.enqueue(OVERFLOW, { status: 500, chunks: ['no'] });
  await expect(editor.prompt('Five')).rejects.toThrow('Making room failed');
  await editor.close();
  expect(verifyLog(editor.logPath).problems).toEqual([]);
});

test.each<[string, Parameters<ModelServer['enqueue']>[0]]>([
  ['refused', { status: 500, chunks: ['no'] }],
  ['cut', { chunks: answer({ text: SUMMARY }).slice(0, 2) }],
  ['blank', answer({ text: '  ' })],
  ['a call', call('read', { path: 'x' })],
])('a summary that is %s leaves the session as it was', async (_, response) => {
  const editor = await talked();
  const { messages } = foldState(editor.log());
  server.enqueue(response);
  await editor.prompt('/compact');
  expect(JSON.stringify(editor.updates().at(-1))).toContain('Nothing was compacted');
  expect(foldState(editor.log()).messages).toEqual(messages);
  expect(editor.log().filter(({ type }) => type === 'compaction')).toEqual([]);
  await editor.close();
});

test('where there is nothing to summarise, nothing is asked', async () => {
  const editor = await openEditor({ server });
  await editor.prompt('/compact');
  expect(server.requests).toEqual([]);
  expect(JSON.stringify(editor.updates().at(-1))).toContain('nothing to summarise');
  await editor.close();
});

test('mode, todos and plans outlive it', async () => {
  const elicitation = async () => ({ action: 'decline' as const });
  const editor = await openEditor({ server, answers: { elicitation } });
  await editor.setMode('plan');
  const todos = [{ content: 'Think', status: 'in_progress' }];
  server.enqueue(
    call('todo_write', { todos }),
    call('exit_plan_mode', { plan: '# The plan\n\nBe careful.' }),
    answer({ text: LONG }),
    answer({ text: LONG }),
    answer({ text: SUMMARY }),
  );
  await editor.prompt('Plan');
  await editor.prompt('More');
  await editor.prompt('/compact');
  server.enqueue(answer({ text: 'Yes.' }));
  await editor.prompt('Go on');
  await editor.close();
  expect(foldMode(editor.log())).toBe('plan');
  const summary = String(contents()[1]);
  expect(summary).toContain('- [in_progress] Think');
  expect(summary).toContain('The plan under review:\n# The plan\n\nBe careful.');
  expect(contents()[0]).toContain('You are in plan mode');
  expect(verifyLog(editor.logPath).problems).toEqual([]);
});

test('a long turn makes room between its steps', async () => {
  const editor = await openEditor({
    server,
    files: { 'a.txt': `${LONG}\n`, '.planfold/config.json': '{"limits":{"contextTokensMax":15}}' },
  });
  const read = call('read', { path: 'a.txt' });
  server.enqueue(read, answer({ text: SUMMARY }), read, answer({ text: SUMMARY }), read);
  server.enqueue(answer({ text: SUMMARY }), answer({ text: 'Done.' }));
  expect((await editor.prompt('Read it often')).stopReason).toBe('end_turn');
  await editor.close();
  const compactions = editor.log().filter(({ type }) => type === 'compaction');
  expect(compactions.length).toBeGreaterThan(0);
  expect(verifyLog(editor.logPath).problems).toEqual([]);
});

test('verify finds a snapshot that is not the state, and a digest that is not the request', async () => {
  const editor = await talked();
  server.enqueue(answer({ text: SUMMARY }));
  await editor.prompt('/compact');
  await editor.close();
  const text = readFileSync(editor.logPath, 'utf8');
  writeFileSync(editor.logPath, text.replace('"turns":4', '"turns":3'));
  expect(verifyLog(editor.logPath).problems.join()).toContain(
    'the state that the compaction carries',
  );
  writeFileSync(editor.logPath, text.replace('"text":"Two"', '"text":"Twö"'));
  expect(verifyLog(editor.logPath).problems.join()).toContain('digest');
});

test('a summary is taken into the next one: there is never more than one', async () => {
  const editor = await talked();
  // The second cut lies before the first compaction: what was kept then is summarised now.
  server.enqueue(answer({ text: 'The first summary.' }), answer({ text: 'Short.' }));
  await editor.prompt('/compact');
  await editor.prompt('Four');
  server.enqueue(answer({ text: 'The second summary.' }), answer({ text: 'Here.' }));
  await editor.prompt('/compact');
  expect(contents()[1]).toContain('The first summary.');
  await editor.prompt('Five');
  await editor.close();
  expect(contents()[1]).toContain('The second summary.');
  expect(JSON.stringify(contents())).not.toContain('The first summary.');
});
