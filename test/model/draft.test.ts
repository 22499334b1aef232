import { describe, expect, test } from 'vitest';
import { type Chunk, createDraft } from '../../src/model/draft.ts';
import type { Delta } from '../../src/model/types.ts';

type Choice = NonNullable<Chunk['choices']>[number];
type Fragment = NonNullable<NonNullable<Choice['delta']>['tool_calls']>[number];

function fold(...chunks: (Chunk | null)[]) {
  const draft = createDraft();
  const deltas: Delta[] = chunks.flatMap((chunk) => draft.add(chunk));
  return { draft, deltas };
}

const delta = (part: Choice['delta'], more: Partial<Choice> = {}): Chunk => ({
  choices: [{ index: 0, delta: part, ...more }],
});
const finish = (reason: string): Chunk => delta({}, { finish_reason: reason });
const fragments = (...calls: Fragment[]): Chunk => delta({ tool_calls: calls });

function callsOf(...chunks: Chunk[]) {
  return fold(...chunks, finish('tool_calls')).draft.finish().calls;
}

test('text, refusal and either kind of reasoning become deltas', () => {
  const { draft, deltas } = fold(
    delta({ reasoning_content: 'I ' }),
    delta({ reasoning: 'think', reasoning_content: '' }),
    delta({ reasoning: 'same', reasoning_content: 'same' }),
    delta({ content: 'Hi', reasoning: '.' }),
    delta({ content: '', refusal: ' no' }),
    finish('stop'),
  );
  expect(deltas).toEqual([
    { kind: 'reasoning', text: 'I ' },
    { kind: 'reasoning', text: 'think' },
    { kind: 'reasoning', text: 'same' },
    { kind: 'reasoning', text: '.' },
    { kind: 'text', text: 'Hi' },
    { kind: 'text', text: ' no' },
  ]);
  expect(draft.finish()).toEqual({
    text: 'Hi no',
    reasoning: 'I thinksame.',
    calls: [],
    finish: 'stop',
    usage: undefined,
  });
});

test('only the first choice counts, and odd chunks do no harm', () => {
  const { draft } = fold(
    null,
    {},
    { choices: null },
    { choices: [{ index: 1, delta: { content: 'other' } }] },
    {
      choices: [
        { index: 1, delta: { content: 'other' } },
        { index: 0, delta: { content: 'a' } },
      ],
    },
    { choices: [{ delta: { content: 'b' } }] },
    delta(null),
    delta({ content: [{ type: 'text', text: 'parts' }] }),
    finish('stop'),
  );
  expect(draft.finish().text).toBe('ab');
});

describe('tool calls', () => {
  test('fragments of interleaved calls are joined by index; a name sent twice counts once', () => {
    expect(
      callsOf(
        fragments({ index: 1, id: 'b', function: { name: 'grep', arguments: '{"p' } }),
        fragments({ index: 0, id: 'a', function: { name: 'read', arguments: '' } }),
        fragments({ index: 1, id: 'b', function: { name: 'grep', arguments: '":1}' } }),
        fragments({ index: 0, function: { arguments: '{}' } }),
      ),
    ).toEqual([
      { callId: 'b', name: 'grep', arguments: '{"p":1}' },
      { callId: 'a', name: 'read', arguments: '{}' },
    ]);
  });

  test('without an index the id decides, else the last call', () => {
    expect(
      callsOf(
        fragments({ id: 'a', function: { name: 'read', arguments: '{' } }),
        fragments({ id: 'b', function: { name: 'glob', arguments: '[' } }),
        fragments({ id: 'a', function: { arguments: '}' } }),
        fragments({ function: { arguments: ']' } }),
      ),
    ).toEqual([
      { callId: 'a', name: 'read', arguments: '{}' },
      { callId: 'b', name: 'glob', arguments: '[]' },
    ]);
  });

  test('another id with a name on the same index is another call', () => {
    expect(
      callsOf(
        fragments({ index: 0, id: 'a', function: { name: 'read', arguments: '{}' } }),
        fragments({ index: 0, id: 'b', function: { name: 'glob', arguments: '{' } }),
        fragments({ index: 0, function: { arguments: '}' } }),
      ),
    ).toEqual([
      { callId: 'a', name: 'read', arguments: '{}' },
      { callId: 'b', name: 'glob', arguments: '{}' },
    ]);
  });

  test('another id without a name goes on with the call', () => {
    expect(
      callsOf(
        fragments({ index: 0, id: 'a', function: { name: 'read', arguments: '{' } }),
        fragments({ index: 0, id: 'b', function: { arguments: '}' } }),
      ),
    ).toEqual([{ callId: 'a', name: 'read', arguments: '{}' }]);
  });

  test('arguments sent as an object are the text of it', () => {
    const [call] = callsOf(fragments({ id: 'a', function: { name: 'f', arguments: { p: 'x' } } }));
    expect(call?.arguments).toBe('{"p":"x"}');
  });

  test('missing and repeated ids are minted, around those that the provider took', () => {
    const ids = ['', 'call_1', 'same', 'same', null].map((id, index) => ({
      index,
      id,
      function: { name: 'f', arguments: '{}' },
    }));
    expect(callsOf(fragments(...ids)).map(({ callId }) => callId)).toEqual([
      'call_2',
      'call_1',
      'same',
      'call_3',
      'call_4',
    ]);
  });
});

describe('how it ends', () => {
  const call = fragments({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } });

  test.each([
    ['stop', 'tool_calls', 1],
    ['tool_calls', 'tool_calls', 1],
    ['function_call', 'tool_calls', 1],
    ['something new', 'tool_calls', 1],
    ['length', 'length', 0],
    ['content_filter', 'content_filter', 0],
    ['', 'cut', 0],
  ])('reason %j after a call is %s', (reason, expected, calls) => {
    const completion = fold(call, finish(reason)).draft.finish();
    expect([completion.finish, completion.calls.length]).toEqual([expected, calls]);
  });

  test.each(['stop', 'tool_calls', 'function_call', 'something new'])(
    'reason %j without a call is stop',
    (reason) => {
      expect(fold(delta({ content: 'x' }), finish(reason)).draft.finish().finish).toBe('stop');
    },
  );

  test('an end without a reason is a cut, and nothing half is run', () => {
    expect(fold(delta({ content: 'Half' }), call).draft.finish()).toEqual({
      text: 'Half',
      reasoning: '',
      calls: [],
      finish: 'cut',
      usage: undefined,
      cutReason: 'The stream ended before the answer was complete.',
    });
  });

  test('a break before the reason cuts; one after it takes nothing away', () => {
    const broken = { finish: 'cut', reason: 'It broke.' } as const;
    expect(fold(call).draft.finish(broken)).toMatchObject({
      finish: 'cut',
      calls: [],
      cutReason: 'It broke.',
    });
    const whole = fold(call, finish('tool_calls')).draft.finish(broken);
    expect(whole).toMatchObject({ finish: 'tool_calls', calls: [{ callId: 'a' }] });
    expect(whole).not.toHaveProperty('cutReason');
  });

  test('a cancelled answer has no calls, even a complete one', () => {
    const completion = fold(call, finish('tool_calls')).draft.finish({ finish: 'cancelled' });
    expect(completion).toMatchObject({ finish: 'cancelled', calls: [] });
  });
});

describe('usage', () => {
  const base = { prompt_tokens: 9, completion_tokens: 4 };
  test.each<[string, Chunk, object]>([
    ['in a chunk without choices', { choices: [], usage: base }, {}],
    ['in the choice', delta({}, { usage: base }), {}],
    [
      'with OpenAI details',
      {
        usage: {
          ...base,
          prompt_tokens_details: { cached_tokens: 8 },
          completion_tokens_details: { reasoning_tokens: 3 },
        },
      },
      { cachedTokens: 8, reasoningTokens: 3 },
    ],
    [
      'with DeepSeek cache hits',
      { usage: { ...base, prompt_cache_hit_tokens: 7 } },
      {
        cachedTokens: 7,
      },
    ],
    ['with details that are null', { usage: { ...base, prompt_tokens_details: null } }, {}],
  ])('%s', (_, chunk, details) => {
    // What comes afterwards without usage does not take it away.
    const { draft } = fold(chunk, finish('stop'), { usage: null });
    expect(draft.finish().usage).toEqual({ inputTokens: 9, outputTokens: 4, ...details });
  });

  test('what is no count is none', () => {
    const usage = { prompt_tokens: '9', completion_tokens: -1, prompt_cache_hit_tokens: 1.5 };
    expect(fold({ usage }).draft.finish().usage).toEqual({ inputTokens: 0, outputTokens: 0 });
  });
});
