import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import { createModel } from '../../src/model/openai.ts';
import { recordFetch } from '../../src/model/record.ts';
import { type Exchange, readRecording, writeRecording } from '../../src/model/recording.ts';
import { replayFetch, type ReplayOptions } from '../../src/model/replay.ts';
import { createSubstitution } from '../../src/model/substitution.ts';
import type { CompletionRequest, RequestBody } from '../../src/model/types.ts';
import { answer, chunk } from '../harness/sse.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';

const KEY = 'sk-0123456789';
const substitution = createSubstitution({});

function bodyOf(...contents: string[]): RequestBody {
  return {
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    messages: contents.map((content) => ({ role: 'user', content })),
  };
}

function modelOn(fetch: typeof globalThis.fetch, baseURL = 'http://replay.invalid/v1') {
  const model = createModel({
    provider: { name: 'test', baseURL, apiKey: KEY, apiKeyEnv: 'OPENAI_API_KEY', models: {} },
    fetch,
  });
  return (body: RequestBody, more: Partial<CompletionRequest> = {}) =>
    model.complete({ body, signal: new AbortController().signal, onDelta: () => {}, ...more });
}

function exchange(
  body: object | undefined,
  response: Partial<Exchange['response']> = {},
): Exchange {
  const request = { method: 'POST', path: '/v1/chat/completions', body: toJson(body) };
  return {
    ...(body ? { request } : {}),
    response: { status: 200, headers: {}, chunks: answer({ text: 'Hi' }), ...response },
  };
}

function toJson(value: object | undefined) {
  return JSON.parse(JSON.stringify(value ?? null));
}

function replay(exchanges: Exchange[], options: Partial<ReplayOptions> = {}) {
  return modelOn(replayFetch(exchanges, { substitution, ...options }));
}

describe('replay', () => {
  test('exchanges are served in order, to the very same requests', async () => {
    const complete = replay([
      exchange(bodyOf('a'), { chunks: answer({ text: 'first' }) }),
      exchange(bodyOf('a', 'b'), { chunks: answer({ text: 'second' }) }),
    ]);
    expect((await complete(bodyOf('a'))).text).toBe('first');
    expect((await complete(bodyOf('a', 'b'))).text).toBe('second');
    await expect(complete(bodyOf('c'))).rejects.toThrow(
      new UserError('Request 3 is not in the recording, which ends after 2.'),
    );
  });

  test('pieces come one by one: an abort in between is seen', async () => {
    const controller = new AbortController();
    const pieces = ['a', 'b', 'c'].map((content) => chunk({ content }));
    const complete = replay([exchange(bodyOf('a'), { chunks: pieces })]);
    const onDelta = () => void setImmediate(() => controller.abort());
    const { text, finish } = await complete(bodyOf('a'), { signal: controller.signal, onDelta });
    expect(finish).toBe('cancelled');
    expect(text).not.toContain('c');
  });

  test('a reset breaks the stream, a hang lasts until the abort', async () => {
    const controller = new AbortController();
    const chunks = [chunk({ content: 'Half' })];
    const complete = replay([
      exchange(bodyOf('a'), { chunks, end: 'reset' }),
      exchange(bodyOf('a'), { chunks, end: 'hang' }),
    ]);
    const cut = await complete(bodyOf('a'));
    expect(cut).toMatchObject({ text: 'Half', finish: 'cut' });
    expect(cut.cutReason).toContain('broke off: the connection was reset.');
    const onDelta = () => void setImmediate(() => controller.abort());
    const { signal } = controller;
    expect(await complete(bodyOf('a'), { signal, onDelta })).toMatchObject({
      text: 'Half',
      finish: 'cancelled',
    });
  });

  test('a status that refuses is replayed as one', async () => {
    const chunks = ['{"error":{"message":"Slow down"}}'];
    const complete = replay([exchange(bodyOf('a'), { status: 429, chunks })]);
    await expect(complete(bodyOf('a'))).rejects.toThrow('answered 429: Slow down.');
  });

  test('a recording of another directory is served in this one', async () => {
    const cwd = '/else"where';
    const call = { id: 'a', name: 'x', arguments: '1' };
    const complete = replay(
      [exchange(bodyOf('in {{cwd}}'), { chunks: answer({ text: 'at {{cwd}}/f', calls: [call] }) })],
      { substitution: createSubstitution({ cwd }) },
    );
    expect((await complete(bodyOf(`in ${cwd}`))).text).toBe(`at ${cwd}/f`);
  });

  test('without a recorded request: filled in on update, else refused with the way', async () => {
    const heard: unknown[] = [];
    const onRequest = (index: number, request: object) => void heard.push([index, request]);
    const { request } = exchange(bodyOf('in {{cwd}}'));
    const here = createSubstitution({ cwd: '/here' });
    await replay([exchange(undefined)], { onRequest, substitution: here })(bodyOf('in /here'));
    expect(heard).toEqual([[0, request]]);
    await expect(replay([exchange(undefined)])(bodyOf('a'))).rejects.toThrow(
      'Exchange 1 of the recording has no request yet; `planfold replay --update` fills it in.',
    );
  });

  // The library drops the cause of an error that speaks of a time-out.
  const long = 'timed out; the quick brown fox jumps over the lazy dog and sleeps ';
  test.each([
    [
      bodyOf('a', `${long.repeat(2)}!`),
      bodyOf('a', `${long}?${long}`),
      '`messages[1].content`, byte 67: now "…lazy dog and sleeps timed out; the quick ' +
        'brown fox jumps ove…", recorded "…lazy dog and sleeps ?timed out; the quick brown fox ' +
        'jumps ov…".',
    ],
    [
      bodyOf('a', 'b'),
      bodyOf('a'),
      '`messages[1]`: now {"role":"user","content":"b"}, recorded absent.',
    ],
    [
      bodyOf('a'),
      bodyOf('a', 'b'),
      '`messages[1]`: now absent, recorded {"role":"user","content":"b"}.',
    ],
    [bodyOf('a'), { ...bodyOf('a'), seed: 1 }, '`seed`: now absent, recorded 1.'],
    [
      bodyOf('a'),
      { ...bodyOf('a'), stream_options: { include_usage: false } },
      '`stream_options.include_usage`: now true, recorded false.',
    ],
    [
      bodyOf(),
      { model: 'm', messages: [], stream: true, stream_options: { include_usage: true } },
      '`body (order of keys)`: now ["model","stream","stream_options","messages"], ' +
        'recorded ["model","messages","stream","stream_options"].',
    ],
  ])('a request that differs is refused with the place and both sides (%#)', async (...row) => {
    const [now, recorded, words] = row;
    await expect(replay([exchange(recorded)])(now)).rejects.toThrow(
      new UserError(
        `Request 1 differs from the recording at ${words} If the change is meant, ` +
          '`planfold replay --update` takes it over.',
      ),
    );
  });

  test('another path differs too', async () => {
    const complete = modelOn(replayFetch([exchange(bodyOf('a'))], { substitution }), 'http://x/v2');
    await expect(complete(bodyOf('a'))).rejects.toThrow('differs from the recording at `path`, by');
  });
});

describe('record', () => {
  let server: ModelServer;
  let exchanges: Exchange[];
  let complete: ReturnType<typeof modelOn>;
  beforeEach(async () => {
    server = await startModelServer();
    exchanges = [];
    complete = modelOn(
      recordFetch(fetch, (one) => exchanges.push(one)),
      server.url,
    );
  });
  afterEach(() => server.close());

  test('what was recorded is replayed, and the key is in no line of it', async () => {
    const body = bodyOf('Grüße');
    const calls = [{ id: 'a', name: 'f', arguments: {} }];
    server.enqueue(answer({ reasoning: 'Hm', text: '\u{1F600}', calls }), {
      status: 404,
      chunks: ['{"error":"none"}'],
      headers: { 'set-cookie': 'secret' },
    });
    const first = await complete(body);
    await expect(complete(body)).rejects.toThrow('answered 404: none.');
    const text = writeRecording({ origin: 'recorded', exchanges });
    expect(text).not.toMatch(/sk-0123456789|authorization|secret/i);

    const again = replay(readRecording(text, 'f').exchanges);
    expect(await again(body)).toEqual(first);
    await expect(again(body)).rejects.toThrow('answered 404: none.');
  });

  test('a character whose bytes come apart is whole in the recording', async () => {
    const bytes = new TextEncoder().encode('\uFEFFü');
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const heard: Exchange[] = [];
    const recording = recordFetch(
      () => Promise.resolve(new Response(source)),
      (one) => {
        heard.push(one);
      },
    );
    const passed = await (await recording('http://x/y')).arrayBuffer();
    expect(new Uint8Array(passed)).toEqual(bytes);
    expect(heard[0]?.response.chunks.join('')).toBe('\uFEFFü');
  });

  test('the response is not held back, and an abort leaves what came, hanging', async () => {
    const controller = new AbortController();
    server.enqueue({ chunks: [chunk({ content: 'Half' })], end: 'hang' });
    // The server never ends this answer, so the text can only come through while it streams.
    const onDelta = () => controller.abort();
    await complete(bodyOf('a'), { signal: controller.signal, onDelta });
    expect(exchanges).toEqual([
      exchange(bodyOf('a'), {
        headers: { 'content-type': 'text/event-stream' },
        chunks: [chunk({ content: 'Half' })],
        end: 'hang',
      }),
    ]);
    await server.left();
  });

  test('an abort before the first byte is an exchange without an answer', async () => {
    const controller = new AbortController();
    const waiting = recordFetch(
      (_, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
          controller.abort();
        }),
      (one) => exchanges.push(one),
    );
    await modelOn(waiting)(bodyOf('a'), { signal: controller.signal });
    expect(exchanges.map(({ response }) => response)).toEqual([
      { status: 200, headers: { 'content-type': 'text/event-stream' }, chunks: [], end: 'hang' },
    ]);
  });

  test('a reset is recorded as one', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    server.enqueue({ chunks: [chunk({ content: 'Half' }), ': bye\n\n'], gate, end: 'reset' });
    await complete(bodyOf('a'), { onDelta: () => open() });
    expect(exchanges[0]?.response.end).toBe('reset');
    expect(exchanges[0]?.response.chunks[0]).toBe(chunk({ content: 'Half' }));
  });
});
