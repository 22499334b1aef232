import type { CreateElicitationResponse } from '@agentclientprotocol/sdk/unstable';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foldMode } from '../../src/log/folds.ts';
import { type Editor, openEditor, resultOf } from '../harness/editor.ts';
import { checkCalls, checkTurns } from '../harness/invariants.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const PLAN = '# Rename the thing\n\n1. Do it.\n';

async function reviewed(
  elicitation: () => Promise<CreateElicitationResponse>,
  forms = true,
): Promise<Editor> {
  const editor = await openEditor({ server, forms, answers: { elicitation } });
  await editor.setMode('plan');
  server.enqueue(call('exit_plan_mode', { plan: PLAN }), answer({ text: 'So be it.' }));
  await editor.prompt('Plan it.');
  await editor.close();
  checkTurns(editor.log());
  checkCalls(editor.log());
  return editor;
}

const FEEDBACK = 'Say "no" to \'this\',\n\tand to \\that: «нет», 否, لا 🙅';

const accept = (content?: unknown) =>
  ({ action: 'accept', content }) as unknown as CreateElicitationResponse;

describe('an approval', () => {
  test('leaves plan mode at the end of its step, and tells the note verbatim', async () => {
    const editor = await reviewed(async () => accept({ decision: 'approve', feedback: FEEDBACK }));
    const { text, isError } = resultOf(editor.log(), 'call_exit_plan_mode');
    expect(isError).toBe(false);
    expect(text.endsWith(`:\n${FEEDBACK}`)).toBe(true);
    expect(foldMode(editor.log())).toBe('default');
    expect(editor.updates().filter((one) => one.sessionUpdate === 'current_mode_update')).toEqual([
      { sessionUpdate: 'current_mode_update', currentModeId: 'plan' },
      { sessionUpdate: 'current_mode_update', currentModeId: 'default' },
    ]);
  });

  test('removes exactly the section and the tool from the next header', async () => {
    const editor = await reviewed(async () => accept({ decision: 'approve' }));
    const headers = editor.log().flatMap((one) => (one.type === 'request/header' ? [one] : []));
    const [planned, left] = headers.map(({ header }) => header);
    expect(headers.map(({ reason }) => reason)).toEqual(['initial', 'changed']);
    expect(planned?.system.map(({ name }) => name)).toContain('mode');
    expect(planned?.tools.map((tool) => tool.function.name)).toContain('exit_plan_mode');
    expect(left).toEqual({
      ...planned,
      system: planned?.system.filter(({ name }) => name !== 'mode'),
      tools: planned?.tools.filter((tool) => tool.function.name !== 'exit_plan_mode'),
    });
  });
});

describe('keep planning', () => {
  test('reaches the model with the feedback verbatim, and plan mode stays', async () => {
    const editor = await reviewed(async () =>
      accept({ decision: 'keep_planning', feedback: FEEDBACK }),
    );
    const { text, isError } = resultOf(editor.log(), 'call_exit_plan_mode');
    expect(isError).toBe(true);
    expect(text.endsWith(`:\n${FEEDBACK}`)).toBe(true);
    expect(foldMode(editor.log())).toBe('plan');
    const sent = server.requests.at(-1)?.body.messages.at(-1);
    expect(sent).toEqual({ role: 'tool', tool_call_id: 'call_exit_plan_mode', content: text });
  });
});

describe('no exit without an approval', () => {
  test.each<[string, () => Promise<CreateElicitationResponse>, string]>([
    ['decline', async () => ({ action: 'decline' }), 'The user declined the review.'],
    ['cancel', async () => ({ action: 'cancel' }), 'closed the review without an answer'],
    ['no decision', async () => accept({ feedback: 'hm' }), 'wants to keep planning'],
    ['a blank decision', async () => accept({ decision: '' }), 'wants to keep planning'],
    ['no content', async () => accept(), 'wants to keep planning'],
    ['content null', async () => accept(null), 'wants to keep planning'],
    ['another decision', async () => accept({ decision: 'yes' }), 'does not fit the form'],
    ['a decision that is a list', async () => accept({ decision: ['approve'] }), 'does not fit'],
    ['content that is a text', async () => accept('approve'), 'does not fit the form'],
    ['feedback that is a number', async () => accept({ decision: 'approve', feedback: 1 }), 'fit'],
    ['another action', async () => ({ action: 'approve' }) as never, 'does not fit the form'],
    ['nothing at all', async () => null as never, 'does not fit the form'],
    ['an error', async () => Promise.reject(new Error('boom')), 'answered with an error'],
  ])('%s', async (_, elicitation, words) => {
    const editor = await reviewed(elicitation);
    const { text, isError } = resultOf(editor.log(), 'call_exit_plan_mode');
    expect(isError).toBe(true);
    expect(text).toContain(words);
    expect(foldMode(editor.log())).toBe('plan');
    const last = server.requests.at(-1)?.body;
    expect(last?.tools?.map((tool) => tool.function.name)).toContain('exit_plan_mode');
  });
});

describe('a client without forms', () => {
  test.each([
    ['approve', false, 'default'],
    ['keep_planning', true, 'plan'],
    ['something_else', true, 'plan'],
  ])('reviews by permission: %s', async (optionId, isError, mode) => {
    const permission = async () => ({ outcome: { outcome: 'selected' as const, optionId } });
    const editor = await openEditor({ server, forms: false, answers: { permission } });
    await editor.setMode('plan');
    server.enqueue(call('exit_plan_mode', { plan: PLAN }), answer({ text: 'So be it.' }));
    await editor.prompt('Plan it.');
    await editor.close();
    expect(resultOf(editor.log(), 'call_exit_plan_mode').isError).toBe(isError);
    expect(foldMode(editor.log())).toBe(mode);
  });

  test('answers `cancelled`: the turn is cancelled and plan mode stays', async () => {
    const permission = async () => ({ outcome: { outcome: 'cancelled' as const } });
    const editor = await openEditor({ server, forms: false, answers: { permission } });
    await editor.setMode('plan');
    server.enqueue(call('exit_plan_mode', { plan: PLAN }));
    expect((await editor.prompt('Plan it.')).stopReason).toBe('cancelled');
    await editor.close();
    expect(foldMode(editor.log())).toBe('plan');
    checkCalls(editor.log());
  });

  test('has no way to answer at all: the corrective error', async () => {
    const permission = async () => Promise.reject(new Error('no such dialog'));
    const editor = await openEditor({ server, forms: false, answers: { permission } });
    await editor.setMode('plan');
    server.enqueue(call('exit_plan_mode', { plan: PLAN }), answer({ text: 'In prose, then.' }));
    await editor.prompt('Plan it.');
    await editor.close();
    expect(resultOf(editor.log(), 'call_exit_plan_mode').text).toContain('in prose');
    expect(foldMode(editor.log())).toBe('plan');
  });
});

describe('several calls in one response', () => {
  test('two plans are one question; an edit after the approval still runs under plan', async () => {
    let asked = 0;
    const elicitation = async () => {
      asked++;
      return accept({ decision: 'approve' });
    };
    const editor = await openEditor({ server, answers: { elicitation } });
    await editor.setMode('plan');
    const calls = [
      { id: 'first', name: 'exit_plan_mode', arguments: { plan: PLAN } },
      { id: 'second', name: 'exit_plan_mode', arguments: { plan: '# Another' } },
      { id: 'third', name: 'write', arguments: { path: 'a.txt', content: 'a\n' } },
    ];
    server.enqueue(answer({ calls }), answer({ text: 'Done.' }));
    await editor.prompt('Plan it.');
    await editor.close();
    const events = editor.log();
    expect(asked).toBe(1);
    expect(resultOf(events, 'second')).toMatchObject({ isError: false });
    expect(resultOf(events, 'second').text).toContain('already approved');
    const types = events.map((one) =>
      one.type === 'mode/set' ? `mode/set ${one.mode}` : one.type,
    );
    expect(types.indexOf('mode/set default')).toBeGreaterThan(types.lastIndexOf('tool/result'));
    expect(resultOf(events, 'third').isError).toBe(false);
  });

  test('a flip back to plan after the approval is a flip of its own, and narrated', async () => {
    let editor: Editor | undefined;
    editor = await openEditor({
      server,
      answers: {
        elicitation: async () => accept({ decision: 'approve' }),
        async permission() {
          await editor?.setMode('plan');
          return { outcome: { outcome: 'selected', optionId: 'allow_once' } };
        },
      },
    });
    await editor.setMode('plan');
    const calls = [
      { id: 'exit', name: 'exit_plan_mode', arguments: { plan: PLAN } },
      { id: 'write', name: 'write', arguments: { path: 'a.txt', content: 'a\n' } },
    ];
    server.enqueue(answer({ calls }), answer({ text: 'Planning again.' }));
    await editor.prompt('Plan it.');
    await editor.close();
    const events = editor.log();
    const flips = events.flatMap((one) => (one.type === 'mode/set' ? [one.mode] : []));
    expect(flips).toEqual(['plan', 'default', 'plan']);
    const notices = events.flatMap((one) => (one.type === 'context/message' ? [one.text] : []));
    expect(notices).toEqual(['The user switched this session to plan mode.']);
    expect(foldMode(events)).toBe('plan');
  });
});

test.each(['', ' \n\t '])('a plan of %j is refused, and nobody is asked', async (plan) => {
  const editor = await openEditor({ server });
  await editor.setMode('plan');
  server.enqueue(call('exit_plan_mode', { plan }), answer({ text: 'Again.' }));
  await editor.prompt('Plan it.');
  await editor.close();
  expect(resultOf(editor.log(), 'call_exit_plan_mode').text).toContain('`plan`: must hold');
  expect(editor.log().filter(({ type }) => type === 'ask')).toEqual([]);
});
