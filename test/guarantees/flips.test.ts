import { afterAll, beforeAll, expect, test } from 'vitest';
import { foldMode, foldPendingMode } from '../../src/log/folds.ts';
import { type Editor, openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

function notices(editor: Editor): string[] {
  return editor.log().flatMap((one) => (one.type === 'context/message' ? [one.text] : []));
}

function flips(editor: Editor): string[] {
  return editor.log().flatMap((one) => (one.type === 'mode/set' ? [one.mode] : []));
}

async function say(editor: Editor, text: string): Promise<void> {
  server.enqueue(answer({ text: 'Yes.' }));
  await editor.prompt(text);
}

const SWITCHED = (mode: string) => `The user switched this session to ${mode} mode.`;

test('a mode set before turn 1 is in the first request, and not narrated', async () => {
  const editor = await openEditor({ server });
  await editor.setMode('plan');
  await say(editor, 'Hello');
  await editor.close();
  expect(notices(editor)).toEqual([]);
  const body = server.requests.at(-1)?.body;
  expect(body?.messages[0]?.content).toContain('You are in plan mode');
  expect(body?.tools?.map((tool) => tool.function.name)).toContain('exit_plan_mode');
});

test('a flip between turns is narrated once, before the message of the turn', async () => {
  const editor = await openEditor({ server });
  await say(editor, 'Hello');
  await editor.setMode('plan');
  await say(editor, 'Plan');
  await say(editor, 'Go on');
  await editor.close();
  expect(notices(editor)).toEqual([SWITCHED('plan')]);
  const roles = server.requests.at(-1)?.body.messages.map(({ content }) => content);
  expect(roles?.slice(2)).toEqual([
    'Yes.',
    `<context source="mode">\n${SWITCHED('plan')}\n</context>`,
    'Plan',
    'Yes.',
    'Go on',
  ]);
});

test('several flips between turns are one notice', async () => {
  const editor = await openEditor({ server });
  await say(editor, 'Hello');
  for (const mode of ['plan', 'default', 'plan']) await editor.setMode(mode);
  await say(editor, 'Plan');
  await editor.close();
  expect(flips(editor)).toEqual(['plan']);
  expect(notices(editor)).toEqual([SWITCHED('plan')]);
});

test('plan and back between turns is nothing to the model', async () => {
  const editor = await openEditor({ server });
  await say(editor, 'Hello');
  await editor.setMode('plan');
  await editor.setMode('default');
  expect(foldPendingMode(editor.log())).toBeUndefined();
  await say(editor, 'Still there?');
  await editor.close();
  expect(flips(editor)).toEqual([]);
  expect(notices(editor)).toEqual([]);
  const headers = editor.log().filter(({ type }) => type === 'request/header');
  expect(headers).toHaveLength(1);
});

test('a flip in the middle of a step lands behind it, never inside', async () => {
  const editor: Editor = await openEditor({
    server,
    answers: {
      async permission() {
        await editor.setMode('plan');
        return { outcome: { outcome: 'selected', optionId: 'allow_once' } };
      },
    },
  });
  const calls = [
    { id: 'one', name: 'write', arguments: { path: 'a', content: 'a' } },
    { id: 'two', name: 'exit_plan_mode', arguments: { plan: '# Early' } },
  ];
  server.enqueue(answer({ calls }), answer({ text: 'Planning now.' }));
  await editor.prompt('Write.');
  await editor.close();
  const types = editor.log().map(({ type }) => type);
  const set = types.indexOf('mode/set');
  expect(types.slice(set - 1, set + 3)).toEqual([
    'step/end',
    'mode/set',
    'context/message',
    'request/header',
  ]);
  const result = editor.log().findLast(({ type }) => type === 'tool/result');
  expect(JSON.stringify(result)).toContain('Unknown tool `exit_plan_mode`');
});

test('a flip during the last step lands at its end, and the next turn starts with it', async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const editor = await openEditor({ server });
  server.enqueue({ chunks: answer({ text: 'Slowly.' }), gate });
  const prompted = editor.prompt('Hello');
  await editor.setMode('plan');
  open();
  await prompted;
  expect(foldMode(editor.log())).toBe('plan');
  expect(editor.log().filter(({ type }) => type === 'mode/intent')).toEqual([]);
  await editor.setMode('default');
  await say(editor, 'Back');
  await editor.close();
  // Each notice was true where it stands, and the last one is what holds.
  expect(notices(editor)).toEqual([SWITCHED('plan'), SWITCHED('default')]);
});

test('a flip during a turn that fails is not lost', async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const editor = await openEditor({ server });
  server.enqueue({ status: 400, chunks: ['{"error":{"message":"no"}}'], gate });
  const prompted = editor.prompt('Hello');
  await editor.setMode('plan');
  open();
  await expect(prompted).rejects.toThrow('no');
  expect(foldMode(editor.log())).toBe('plan');
  await editor.close();
});

test('an unknown mode changes nothing and names the known ones', async () => {
  const editor = await openEditor({ server });
  const before = editor.log().length;
  await expect(editor.setMode('nope')).rejects.toMatchObject({
    code: -32602,
    message: 'Unknown mode `nope`. Known: default, plan.',
  });
  expect(editor.log()).toHaveLength(before);
  await editor.close();
});

test('setting the mode that is in force already records nothing', async () => {
  const editor = await openEditor({ server });
  await editor.setMode('default');
  expect(editor.log()).toHaveLength(1);
  await editor.setMode('plan');
  await editor.setMode('plan');
  expect(editor.log().map(({ type }) => type)).toEqual(['session/created', 'mode/intent']);
  await editor.close();
});

test('/mode and /plan switch without a word to the model', async () => {
  const editor = await openEditor({ server });
  const asked = server.requests.length;
  await editor.prompt('/mode plan');
  await editor.prompt('/mode');
  expect(server.requests).toHaveLength(asked);
  expect(JSON.stringify(editor.updates().at(-1))).toContain('Current mode: `plan`');
  server.enqueue(answer({ text: 'A plan.' }));
  await editor.prompt('/plan for the rename');
  expect(server.requests.at(-1)?.body.messages.at(-1)?.content).toBe('for the rename');
  server.enqueue(answer({ text: 'A path.' }));
  await editor.prompt('/planet is no command');
  expect(server.requests.at(-1)?.body.messages.at(-1)?.content).toBe('/planet is no command');
  await editor.close();
});
