import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Editor, openEditor, resultOf } from '../harness/editor.ts';
import { checkCalls } from '../harness/invariants.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const select = (optionId: string) => ({ outcome: { outcome: 'selected' as const, optionId } });

async function run(chunks: string[], options: Partial<Parameters<typeof openEditor>[0]> = {}) {
  const editor = await openEditor({ server, ...options });
  server.enqueue(chunks, answer({ text: 'Done.' }));
  await editor.prompt('Go');
  await editor.close();
  checkCalls(editor.log());
  return editor;
}

function asked(editor: Editor): unknown[] {
  return editor.frames.flatMap(({ message }) => {
    const { method, params } = message as { method?: string; params?: unknown };
    return method === 'session/request_permission' ? [params] : [];
  });
}

describe('permission', () => {
  test('is asked for each call that is not read-only', async () => {
    const editor = await run(call('write', { path: 'a.txt', content: 'a' }));
    expect(asked(editor)).toMatchObject([
      {
        toolCall: { toolCallId: 'call_write', kind: 'edit', title: 'Write a.txt' },
        options: [
          { kind: 'allow_once' },
          { kind: 'allow_always', name: `Allow for this session: write ${editor.cwd}/a.txt` },
          { kind: 'reject_once' },
        ],
      },
    ]);
    expect(readFileSync(join(editor.cwd, 'a.txt'), 'utf8')).toBe('a');
  });

  test('rejected: nothing runs, the model hears that it was the user, the turn goes on', async () => {
    const permission = async () => select('reject_once');
    const editor = await run(call('bash', { command: 'touch a' }), { answers: { permission } });
    expect(resultOf(editor.log(), 'call_bash').text).toContain('The user rejected this call');
    expect(existsSync(join(editor.cwd, 'a'))).toBe(false);
    expect(editor.log().filter(({ type }) => type === 'tool/call')).toEqual([]);
    expect(editor.log().at(-1)).toMatchObject({ stopReason: 'end_turn' });
  });

  test.each([
    ['an option that was not offered', async () => select('allow_forever')],
    ['an error', async () => Promise.reject(new Error('no dialog'))],
    ['an answer of no shape', async () => ({ outcome: 'yes' }) as never],
  ])('%s permits nothing', async (_, permission) => {
    const editor = await run(call('bash', { command: 'touch a' }), { answers: { permission } });
    expect(resultOf(editor.log(), 'call_bash').isError).toBe(true);
    expect(existsSync(join(editor.cwd, 'a'))).toBe(false);
  });

  test('answered `cancelled` ends the turn and runs nothing more', async () => {
    const permission = async () => ({ outcome: { outcome: 'cancelled' as const } });
    const editor = await openEditor({ server, answers: { permission } });
    const calls = [
      { id: 'one', name: 'bash', arguments: { command: 'touch a' } },
      { id: 'two', name: 'read', arguments: { path: 'x' } },
    ];
    server.enqueue(answer({ calls }));
    expect((await editor.prompt('Go')).stopReason).toBe('cancelled');
    await editor.close();
    expect(resultOf(editor.log(), 'two').text).toBe('Cancelled by the user.');
    checkCalls(editor.log());
  });

  test('is asked before anything outside the workspace is read, with the path', async () => {
    const editor = await run(call('read', { path: '/etc/hostname' }), {
      answers: { permission: async () => select('reject_once') },
    });
    expect(JSON.stringify(asked(editor))).toContain('Outside the workspace: /etc/hostname');
    expect(resultOf(editor.log(), 'call_read').isError).toBe(true);
  });

  test('a link that an earlier call of the same response made does not lead outside', async () => {
    const answers = [select('allow_once'), select('reject_once')];
    const permission = async () => answers.shift() ?? select('reject_once');
    const calls = [
      { id: 'link', name: 'bash', arguments: { command: 'ln -s /etc out' } },
      { id: 'read', name: 'read', arguments: { path: 'out/hostname' } },
    ];
    const editor = await run(answer({ calls }), { answers: { permission } });
    expect(resultOf(editor.log(), 'read').text).toContain('rejected');
  });
});

test('read-only calls of one response run side by side; results keep the order of the calls', async () => {
  const files = { 'a.txt': 'a\n', 'b.txt': 'b\n' };
  const calls = [
    { id: 'one', name: 'grep', arguments: { pattern: 'a' } },
    { id: 'two', name: 'read', arguments: { path: 'b.txt' } },
    { id: 'three', name: 'write', arguments: { path: 'c.txt', content: 'c' } },
    { id: 'four', name: 'read', arguments: { path: 'c.txt' } },
  ];
  const editor = await run(answer({ calls }), { files });
  const order = editor.log().flatMap((one) => {
    if (one.type === 'tool/call') return [`call ${one.callId}`];
    return one.type === 'tool/result' ? [`result ${one.callId}`] : [];
  });
  expect(order).toEqual([
    'call one',
    'call two',
    'result one',
    'result two',
    'call three',
    'result three',
    'call four',
    'result four',
  ]);
});

test('a todo list becomes a plan update', async () => {
  const todos = [
    { content: 'Look', status: 'completed', priority: 'high' },
    { content: 'Change', status: 'in_progress' },
  ];
  const editor = await run(call('todo_write', { todos }));
  expect(editor.updates()).toContainEqual({
    sessionUpdate: 'plan',
    entries: [todos[0], { ...todos[1], priority: 'medium' }],
  });
});

test('questions without a form are refused with the advice to ask in prose', async () => {
  const questions = [{ question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }];
  const editor = await run(call('ask_user_question', { questions }), { forms: false });
  const { text, isError } = resultOf(editor.log(), 'call_ask_user_question');
  expect(isError).toBe(true);
  expect(text).toContain('prose');
});

test('ids that a provider uses again stay apart in the session', async () => {
  const editor = await openEditor({ server, files: { 'a.txt': 'a\n' } });
  const again = call('read', { path: 'a.txt' }, 'call_0');
  server.enqueue(again, again, answer({ text: 'Twice.' }));
  await editor.prompt('Go');
  await editor.close();
  checkCalls(editor.log());
  const sent = JSON.stringify(server.requests.at(-1)?.body.messages);
  expect(sent).toContain('"tool_call_id":"call_0"');
  expect(sent).toContain('"tool_call_id":"call_0_2"');
});

test('the steps of a turn are limited, and the next prompt goes on', async () => {
  const editor = await openEditor({
    server,
    files: { 'a.txt': 'a\n', '.planfold/config.json': '{"limits":{"stepsMax":2}}' },
  });
  const step = call('read', { path: 'a.txt' });
  server.enqueue(step, step);
  expect((await editor.prompt('Go')).stopReason).toBe('max_turn_requests');
  server.enqueue(answer({ text: 'Enough.' }));
  expect((await editor.prompt('Go on')).stopReason).toBe('end_turn');
  await editor.close();
});

test('a prompt that is too long or empty is refused, and nothing is logged', async () => {
  const editor = await openEditor({
    server,
    files: { '.planfold/config.json': '{"limits":{"messageBytesMax":100}}' },
  });
  await expect(editor.prompt('x'.repeat(200))).rejects.toMatchObject({ code: -32602 });
  await expect(editor.prompt('  ')).rejects.toMatchObject({ code: -32602 });
  expect(editor.log()).toHaveLength(1);
  await editor.close();
});

test('a file that changed behind the model is not overwritten', async () => {
  const editor = await openEditor({ server, files: { 'a.txt': 'one\n' } });
  const calls = [
    { id: 'read', name: 'read', arguments: { path: 'a.txt' } },
    { id: 'change', name: 'bash', arguments: { command: 'echo two > a.txt' } },
    { id: 'edit', name: 'edit', arguments: { path: 'a.txt', old_string: 'two', new_string: '2' } },
    { id: 'again', name: 'read', arguments: { path: 'a.txt' } },
    { id: 'edit2', name: 'edit', arguments: { path: 'a.txt', old_string: 'two', new_string: '2' } },
  ];
  server.enqueue(answer({ calls }), answer({ text: 'Done.' }));
  await editor.prompt('Go');
  await editor.close();
  expect(resultOf(editor.log(), 'edit').text).toContain('has changed since you last read it');
  expect(resultOf(editor.log(), 'edit2').isError).toBe(false);
  expect(readFileSync(join(editor.cwd, 'a.txt'), 'utf8')).toBe('2\n');
});

test('an expression that would never end is stopped, and the turn goes on', async () => {
  const files = { 'a.txt': `${'a'.repeat(40)}!\n` };
  // `\s` keeps ripgrep out of it.
  const editor = await run(call('grep', { pattern: '^(a+)+\\s*$' }), { files });
  const { text, isError } = resultOf(editor.log(), 'call_grep');
  expect(isError).toBe(true);
  expect(text).toContain('takes too long');
});

test('whatever a tool gives back is bounded', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`${'long-name-'.repeat(20)}${index}`, '']),
  );
  const config = { '.planfold/config.json': '{"limits":{"toolOutputBytesMax":2000}}' };
  const editor = await run(call('glob', { pattern: '*' }), { files: { ...files, ...config } });
  const { text } = resultOf(editor.log(), 'call_glob');
  expect(text.length).toBeLessThan(7000);
  expect(text).toContain('(cut at 6096 bytes)');
});

test('a tool that throws is an error result, and the turn goes on', async () => {
  const editor = await run(call('edit', { path: 'bin', old_string: 'a', new_string: 'b' }), {
    files: { bin: 'a\0b' },
  });
  const { text, isError } = resultOf(editor.log(), 'call_edit');
  expect(isError).toBe(true);
  expect(text).toContain('`edit` failed: ');
});

test('five read-only calls of a response overlap in time; a changing one among them does not', async () => {
  const files = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`${n}.txt`, `${n}\n`]));
  const read = (n: number) => ({ id: `r${n}`, name: 'grep', arguments: { pattern: `${n}` } });
  const calls = [
    ...[1, 2, 3, 4, 5].map(read),
    { id: 'w', name: 'write', arguments: { path: 'w.txt', content: 'w' } },
    read(6),
  ];
  // Nothing is asked here, so that what it does is all that keeps the changing one alone.
  const config = { options: { approval: 'auto', sandbox: 'workspace-write' } };
  const editor = await run(answer({ calls }), { files, config });
  const spans = new Map<string, { from: number; to: number }>();
  for (const event of editor.log()) {
    if (event.type === 'tool/call') spans.set(event.callId, { from: event.seq, to: Infinity });
    const span = event.type === 'tool/result' ? spans.get(event.callId) : undefined;
    if (span) span.to = event.seq;
  }
  const span = (id: string) => spans.get(id) ?? { from: NaN, to: NaN };
  const together = [1, 2, 3, 4, 5].map((n) => span(`r${n}`));
  // All of them have begun before the first is done.
  expect(Math.max(...together.map(({ from }) => from))).toBeLessThan(
    Math.min(...together.map(({ to }) => to)),
  );
  expect(span('w').from).toBeGreaterThan(Math.max(...together.map(({ to }) => to)));
  expect(span('r6').from).toBeGreaterThan(span('w').to);
});
