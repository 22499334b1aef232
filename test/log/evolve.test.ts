import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Fact } from '../../src/log/events.ts';
import { evolve } from '../../src/log/evolve.ts';
import {
  foldHeader,
  foldKnobs,
  foldMode,
  foldPendingMode,
  foldState,
  foldTodos,
} from '../../src/log/folds.ts';
import { digestOf, foldRequest } from '../../src/log/request.ts';
import { EMPTY_STATE } from '../../src/log/state.ts';
import { answered, EVERY_FACT, HEADER, logOf, resulted } from './facts.ts';

const INTENT = (mode: string): Fact => ({ type: 'mode/intent', mode });
const SET = (mode: string): Fact => ({ type: 'mode/set', mode });
const START: Fact = { type: 'turn/start', turn: 1 };
const END: Fact = { type: 'turn/end', turn: 1, stopReason: 'interrupted' };
const STEP_START: Fact = { type: 'step/start', step: 1, headerSeq: 2, sha256: '' };
const STEP_END: Fact = { type: 'step/end', step: 1 };
const TOLD = { type: 'request/header', reason: 'initial', header: HEADER } as const;
const REVIEW: Fact = { type: 'ask', askId: 'q', kind: 'review', callId: 'c', title: 'P' };
const APPROVE: Fact = { type: 'answer', askId: 'q', outcome: 'approve' };
const PLANNING = [START, SET('plan')];

const saying = (text: string): Fact => ({
  type: 'user/message',
  messageId: 'msg',
  content: [{ type: 'text', text }],
});
const messagesOf = (...facts: Fact[]) => foldRequest(foldState(logOf(TOLD, ...facts))).messages;

describe('the mode in force, and the one that the next boundary brings', () => {
  test.each<[string, Fact[], string, string | undefined]>([
    ['nothing set', [], 'default', undefined],
    ['an idle flip', [INTENT('plan')], 'default', 'plan'],
    ['the last of two', [INTENT('plan'), INTENT('docs')], 'default', 'docs'],
    ['there and back', [INTENT('plan'), INTENT('default')], 'default', undefined],
    ['a flip in force', [INTENT('plan'), START, SET('plan')], 'plan', undefined],
    ['a flip in a turn', [START, SET('plan'), SET('docs')], 'docs', undefined],
    ['a flip that no turn has met', [...PLANNING, END, INTENT('default')], 'plan', 'default'],
    ['a flip to where it is', [...PLANNING, END, INTENT('plan')], 'plan', undefined],
    ['an approval', [...PLANNING, REVIEW, APPROVE], 'plan', 'default'],
    [
      'an approval that landed',
      [...PLANNING, REVIEW, APPROVE, SET('default')],
      'default',
      undefined,
    ],
    ['an approval, then a crash', [...PLANNING, REVIEW, APPROVE, END], 'plan', 'default'],
    [
      'a flip after an approval',
      [...PLANNING, REVIEW, APPROVE, END, INTENT('plan')],
      'plan',
      undefined,
    ],
    ['a review without an answer', [...PLANNING, REVIEW], 'plan', undefined],
    ['an approval of something else', [...PLANNING, APPROVE], 'plan', undefined],
  ])('%s', (...[, facts, mode, pending]) => {
    const events = logOf(...facts);
    expect([foldMode(events), foldPendingMode(events)]).toEqual([mode, pending]);
  });

  test.each(['keep_planning', 'decline', 'cancel', 'cancelled'] as const)(
    'a review that comes back with %s flips nothing',
    (outcome) => {
      const events = logOf(...PLANNING, REVIEW, { type: 'answer', askId: 'q', outcome });
      expect([foldMode(events), foldPendingMode(events)]).toEqual(['plan', undefined]);
    },
  );

  test('only a review can approve', () => {
    const ask: Fact = { type: 'ask', askId: 'q', kind: 'permission', callId: 'c', outside: [] };
    expect(foldPendingMode(logOf(...PLANNING, ask, APPROVE))).toBeUndefined();
  });
});

describe('the mode that the model was told of', () => {
  const toldAfter = (...facts: Fact[]) => foldState(logOf(...facts)).toldMode;

  test('nothing before the first header, which tells the mode in force', () => {
    expect(toldAfter(...PLANNING)).toBeUndefined();
    expect(toldAfter(...PLANNING, TOLD)).toBe('plan');
  });

  test('a notice tells of a flip; another context does not', () => {
    const flipped = [START, TOLD, SET('plan')];
    const context = (source: string): Fact => ({ type: 'context/message', source, text: 't' });
    expect(toldAfter(...flipped)).toBe('default');
    expect(toldAfter(...flipped, context('repair'))).toBe('default');
    expect(toldAfter(...flipped, context('mode'))).toBe('plan');
  });

  test('the result of an approved call tells of the exit; an error or another call not', () => {
    const approved = [...PLANNING, TOLD, REVIEW, APPROVE];
    expect(toldAfter(...approved, resulted('c'))).toBe('default');
    expect(toldAfter(...approved, resulted('c', 'no', true))).toBe('plan');
    expect(toldAfter(...approved, resulted('d'))).toBe('plan');
  });
});

describe('what the model sees', () => {
  test('a request is the header and the conversation, with messages last', () => {
    const body = foldRequest(foldState(logOf(TOLD, START, saying('Hi'), answered('Ho'))));
    expect(JSON.stringify(body)).toBe(
      '{"model":"m","reasoning_effort":"low","stream":true,' +
        '"stream_options":{"include_usage":true},' +
        '"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{}}}],' +
        '"messages":[{"role":"system","content":"You code.\\n\\nYou plan."},' +
        '{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho"}]}',
    );
    expect(digestOf(body)).toBe(createHash('sha256').update(JSON.stringify(body)).digest('hex'));
  });

  test('no tools, no key for them; no header, no request', () => {
    const bare: Fact = { ...TOLD, header: { ...HEADER, tools: [] } };
    expect(foldRequest(foldState(logOf(bare)))).not.toHaveProperty('tools');
    expect(() => foldRequest(foldState(logOf()))).toThrow('No request/header was logged');
  });

  test('the images of a step follow it in one message of the user, diffs are not sent', () => {
    const image = (data: string) => ({ type: 'image', mimeType: 'image/png', data }) as const;
    const shown = messagesOf(
      START,
      STEP_START,
      answered('', 'a', 'b'),
      { type: 'tool/result', callId: 'a', content: [image('AA')], isError: false },
      {
        type: 'tool/result',
        callId: 'b',
        content: [
          { type: 'text', text: 'x' },
          { type: 'diff', path: '/w/a', oldText: 'o', newText: 'n' },
          image('BB'),
          { type: 'text', text: 'y' },
        ],
        isError: false,
      },
      STEP_END,
      { ...STEP_START, step: 2 },
      { ...STEP_END, step: 2 },
    );
    const url = (data: string) => ({
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${data}` },
    });
    const wire = (id: string) => ({
      id,
      type: 'function',
      function: { name: 'f', arguments: '{}' },
    });
    expect(shown.slice(1)).toEqual([
      { role: 'assistant', content: null, tool_calls: [wire('a'), wire('b')] },
      { role: 'tool', tool_call_id: 'a', content: '' },
      { role: 'tool', tool_call_id: 'b', content: 'x\ny' },
      { role: 'user', content: [url('AA'), url('BB')] },
    ]);
  });

  test('a context is marked, a cut that left no text is not shown', () => {
    const cut = { ...answered(''), finish: 'cut', partial: true } as const;
    const context: Fact = { type: 'context/message', source: 'mode', text: 'Plan.' };
    expect(messagesOf(START, context, cut, { ...cut, text: 'Half' }).slice(1)).toEqual([
      { role: 'user', content: '<context source="mode">\nPlan.\n</context>' },
      { role: 'assistant', content: 'Half' },
    ]);
  });

  test('every block of a prompt is shown', () => {
    const prompt = EVERY_FACT.filter(({ type }) => type === 'user/message');
    expect(messagesOf(START, ...prompt).at(-1)?.content).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'text', text: '[a](file:///w/a)' },
      { type: 'text', text: '<resource uri="file:///w/b">\nB\n</resource>' },
    ]);
  });

  test('a compaction stands for the messages through its seq, and for those only', () => {
    // Line 4 is the first message, line 5 the second one, line 6 the third.
    const conversation = [START, saying('one'), answered('two'), saying('three')];
    const compaction = (throughSeq: number): Fact => ({
      type: 'compaction',
      compactionId: 'k',
      summary: 'S',
      throughSeq,
      state: {},
    });
    const summary = '<context source="compaction">\nS\n</context>';
    const contents = (...facts: Fact[]) =>
      messagesOf(...conversation, ...facts)
        .slice(1)
        .map(({ content }) => content);
    expect(contents(compaction(5))).toEqual([summary, 'three']);
    expect(contents(compaction(6), saying('four'))).toEqual([summary, 'four']);
    expect(contents(compaction(5), compaction(7))).toEqual([summary]);
    const { mode, knobs } = foldState(
      logOf(START, SET('plan'), { type: 'knob/set', id: 'k', value: 'v' }, compaction(3)),
    );
    expect([mode, knobs]).toEqual(['plan', { k: 'v' }]);
  });
});

describe('the open turn', () => {
  const openAfter = (...facts: Fact[]) => foldState(logOf(...facts)).open;

  test('it holds the calls without a result and the questions without an answer', () => {
    const facts = [START, STEP_START, answered('', 'a', 'b', 'c'), resulted('b'), REVIEW];
    expect(openAfter(...facts)).toMatchObject({ turn: 1, step: 1, openCalls: ['a', 'c'] });
    expect(Object.keys(openAfter(...facts)?.openAsks ?? {})).toEqual(['q']);
    expect(openAfter(...facts, APPROVE)?.openAsks).toEqual({});
    expect(openAfter(...facts, STEP_END)).toMatchObject({ step: undefined, openCalls: [] });
    expect(openAfter(...facts, STEP_END, END)).toBeUndefined();
  });
});

test('the other folds keep the last word of each fact', () => {
  const events = logOf(
    { type: 'session/title', title: 'one', source: 'auto' },
    { type: 'session/title', title: 'two', source: 'user' },
    { type: 'knob/set', id: 'a', value: '1' },
    { type: 'knob/set', id: 'b', value: '1' },
    { type: 'knob/set', id: 'a', value: '2' },
    ...EVERY_FACT.filter(({ type }) => type === 'todo/write' || type === 'file/seen'),
    TOLD,
    { ...START, turn: 7 },
    { ...END, turn: 7 },
  );
  expect(foldKnobs(events)).toEqual({ a: '2', b: '1' });
  expect(foldTodos(events)).toEqual([{ content: 't', status: 'in_progress', priority: 'high' }]);
  expect(foldHeader(events)).toEqual(HEADER);
  expect(foldState(events)).toMatchObject({
    seq: events.length,
    id: 's1',
    cwd: '/w',
    additionalDirectories: ['/other'],
    title: 'two',
    filesSeen: { '/w/a': 'cd' },
    turns: 7,
    lastStop: 'interrupted',
  });
  expect(foldState([...events, ...logOf(START).slice(1)]).lastStop).toBeUndefined();
});

test('a step changes neither the state nor the event that it is given', () => {
  let state = deepFreeze(EMPTY_STATE);
  for (const event of logOf(...EVERY_FACT)) state = deepFreeze(evolve(state, deepFreeze(event)));
  expect(state.turns).toBe(1);
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
