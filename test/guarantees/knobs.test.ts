import { methods, type SessionConfigOption } from '@agentclientprotocol/sdk/unstable';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Editor, openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

const of = methods.agent.session;

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const setOption = (editor: Editor, configId: string, value: string) =>
  editor.context.request(of.setConfigOption, { sessionId: editor.sessionId, configId, value });

function valuesOf(options: readonly SessionConfigOption[]): Record<string, unknown> {
  return Object.fromEntries(options.map(({ id, currentValue }) => [id, currentValue]));
}

function shown(editor: Editor): unknown[] {
  return editor.updates().flatMap((update) => {
    if (update.sessionUpdate === 'current_mode_update') return [update['currentModeId']];
    if (update.sessionUpdate !== 'config_option_update') return [];
    return [valuesOf(update['configOptions'] as SessionConfigOption[])['mode']];
  });
}

function openedWith(editor: Editor): SessionConfigOption[] {
  const answers = editor.frames.flatMap(({ message }) => {
    const { result } = message as { result?: { configOptions?: SessionConfigOption[] } };
    return result?.configOptions ?? [];
  });
  return answers;
}

test('the options come with the session: the mode first, then the knobs', async () => {
  const editor = await openEditor({ server });
  const options = openedWith(editor);
  expect(options.map(({ id, category }) => [id, category])).toEqual([
    ['mode', 'mode'],
    ['sandbox', undefined],
    ['approval', undefined],
    ['model', 'model'],
    ['reasoning_effort', 'thought_level'],
  ]);
  expect(valuesOf(options)).toMatchObject({
    mode: 'default',
    approval: 'ask',
    model: 'custom/test-model',
    reasoning_effort: 'default',
  });
  await editor.close();
});

describe('the mode and its mirror', () => {
  test.each<[string, (editor: Editor) => Promise<unknown>]>([
    ['session/set_mode', (editor) => editor.setMode('plan')],
    ['the option', (editor) => setOption(editor, 'mode', 'plan')],
    ['the command', (editor) => editor.prompt('/mode plan')],
  ])('a change by %s notifies both', async (_, change) => {
    const editor = await openEditor({ server });
    await change(editor);
    expect(shown(editor)).toEqual(['plan', 'plan']);
    expect(editor.log().map(({ type }) => type)).toEqual(['session/created', 'mode/intent']);
    await editor.close();
  });

  test('an approved exit notifies both', async () => {
    const elicitation = async () => ({
      action: 'accept' as const,
      content: { decision: 'approve' },
    });
    const editor = await openEditor({ server, answers: { elicitation } });
    await editor.setMode('plan');
    server.enqueue(call('exit_plan_mode', { plan: '# A' }), answer({ text: 'Done.' }));
    await editor.prompt('Go');
    expect(shown(editor)).toEqual(['plan', 'plan', 'default', 'default']);
    await editor.close();
  });
});

describe('what is not to be had', () => {
  test.each([
    ['color', 'red', 'Unknown option `color`. Known: mode, sandbox, approval, model, reasoning'],
    ['approval', 'yes', '`approval` cannot be "yes". Allowed: ask, auto, never.'],
    ['model', 'gpt-9', '`model` cannot be "gpt-9". Allowed: custom/test-model.'],
    ['mode', 'turbo', 'Unknown mode `turbo`. Known: default, plan.'],
  ])('%s = %s is refused with what is allowed', async (id, value, message) => {
    const editor = await openEditor({ server });
    await expect(setOption(editor, id, value)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(message),
    });
    expect(editor.log()).toHaveLength(1);
    await editor.close();
  });

  test('a value of another type is refused', async () => {
    const editor = await openEditor({ server });
    const params = { sessionId: editor.sessionId, configId: 'approval' };
    const request = { ...params, type: 'boolean' as const, value: true };
    await expect(editor.context.request(of.setConfigOption, request)).rejects.toMatchObject({
      code: -32602,
    });
    await editor.close();
  });
});

test('a change is answered with the whole list, logged once, and told', async () => {
  const editor = await openEditor({ server });
  const { configOptions } = await setOption(editor, 'approval', 'auto');
  expect(valuesOf(configOptions)).toMatchObject({ mode: 'default', approval: 'auto' });
  await setOption(editor, 'approval', 'auto');
  expect(editor.log().filter(({ type }) => type === 'knob/set')).toMatchObject([
    { id: 'approval', value: 'auto' },
  ]);
  const told = editor.updates().filter((one) => one.sessionUpdate === 'config_option_update');
  expect(told).toHaveLength(1);
  await editor.close();
});

test('an option set in the middle of a step lands at the boundary', async () => {
  const asked: string[] = [];
  const editor: Editor = await openEditor({
    server,
    answers: {
      async permission({ toolCall }) {
        asked.push(toolCall.toolCallId);
        if (asked.length === 1) {
          await setOption(editor, 'approval', 'auto');
          await setOption(editor, 'reasoning_effort', 'high');
        }
        return { outcome: { outcome: 'selected', optionId: 'allow_once' } };
      },
    },
  });
  const write = (id: string) => ({ id, name: 'write', arguments: { path: id, content: id } });
  server.enqueue(
    answer({ calls: [write('one'), write('two')] }),
    answer({ calls: [write('three')] }),
    answer({ text: 'Done.' }),
  );
  await editor.prompt('Go');
  // The second call of the same response is still asked about; that of the next one is not.
  expect(asked).toEqual(['one', 'two']);
  expect(server.requests.map(({ body }) => Reflect.get(body, 'reasoning_effort'))).toEqual([
    undefined,
    'high',
    'high',
  ]);
  const headers = editor.log().filter(({ type }) => type === 'request/header');
  expect(headers).toMatchObject([{ reason: 'initial' }, { reason: 'changed' }]);
  await editor.close();
});

test('load, resume and fork bring the knobs back', async () => {
  const editor = await openEditor({ server });
  await setOption(editor, 'approval', 'never');
  await setOption(editor, 'reasoning_effort', 'low');
  server.enqueue(answer({ text: 'Hello.' }));
  await editor.prompt('Hi');
  const stored = { sessionId: editor.sessionId, cwd: editor.cwd, mcpServers: [] };
  const opened: { configOptions?: SessionConfigOption[] | null }[] = [
    await editor.context.request(of.load, stored),
    await editor.context.request(of.resume, stored),
    await editor.context.request<object>(of.fork, stored),
  ];
  for (const { configOptions } of opened) {
    expect(valuesOf(configOptions ?? [])).toMatchObject({
      approval: 'never',
      reasoning_effort: 'low',
    });
  }
  await editor.close();
});

test('the model is an option: the next step goes to the one that was chosen', async () => {
  const second = await startModelServer();
  const providers = {
    lab: { baseURL: second.url, apiKeyEnv: 'LAB_KEY', models: { small: { reasoningEfforts: [] } } },
  };
  const editor = await openEditor({ server, config: { providers }, env: { LAB_KEY: 'k' } });
  server.enqueue(answer({ text: 'One.' }));
  await editor.prompt('First');
  const { configOptions } = await setOption(editor, 'model', 'lab/small');
  expect(valuesOf(configOptions)).not.toHaveProperty('reasoning_effort');
  second.enqueue(answer({ text: 'Two.' }));
  await editor.prompt('Second');
  expect(second.requests[0]?.body.model).toBe('small');
  expect(second.requests[0]?.headers.authorization).toBe('Bearer k');
  await editor.close();
  await second.close();
});
