import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AuthError } from '../../src/base/errors.ts';
import { createModel } from '../../src/model/openai.ts';
import type { Delta, RequestBody } from '../../src/model/types.ts';
import { answer, chunk, DONE } from '../harness/sse.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';

const BODY: RequestBody = {
  model: 'm',
  stream: true,
  stream_options: { include_usage: true },
  tools: [{ type: 'function', function: { name: 'f', description: 'é\u2028"', parameters: {} } }],
  messages: [{ role: 'user', content: 'Grüße\n\u{1F600}\\' }],
};

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

interface Options {
  signal?: AbortSignal;
  onDelta?: (delta: Delta) => void | Promise<void>;
  apiKey?: string;
}

function modelOf(apiKey: string | undefined) {
  const provider = {
    name: 'test',
    baseURL: server.url,
    apiKey,
    apiKeyEnv: 'OPENAI_API_KEY',
    models: {},
  };
  return createModel({ provider });
}

function complete({ apiKey = 'sk-0123456789', ...options }: Options = {}) {
  const signal = options.signal ?? new AbortController().signal;
  const onDelta = options.onDelta ?? (() => {});
  return modelOf(apiKey).complete({ body: BODY, signal, onDelta });
}

test('the body goes over the wire byte for byte, with the key as bearer', async () => {
  server.enqueue(answer({ text: 'Hi' }));
  await complete();
  const [request] = server.requests;
  expect(request?.text).toBe(JSON.stringify(BODY));
  expect(request?.headers.authorization).toBe('Bearer sk-0123456789');
});

test('what the environment says to other programs changes no request', async () => {
  vi.stubEnv('OPENAI_ADMIN_KEY', 'sk-admin');
  vi.stubEnv('OPENAI_ORG_ID', 'org');
  vi.stubEnv('OPENAI_PROJECT_ID', 'project');
  vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1');
  server.enqueue(answer({ text: 'Hi' }));
  await complete();
  const headers = server.requests[0]?.headers ?? {};
  expect(headers.authorization).toBe('Bearer sk-0123456789');
  expect(Object.keys(headers)).not.toContain('openai-organization');
  expect(Object.keys(headers)).not.toContain('openai-project');
});

test('an answer streams in order and comes back whole', async () => {
  const calls = [
    { id: 'a', name: 'read', arguments: { path: 'x' } },
    { id: 'b', name: 'glob', arguments: '{"pattern":"*' },
  ];
  server.enqueue(answer({ reasoning: 'Hm.', text: 'Hi', calls }));
  const deltas: Delta[] = [];
  const completion = await complete({ onDelta: (delta) => void deltas.push(delta) });
  expect(deltas).toEqual([
    { kind: 'reasoning', text: 'Hm.' },
    { kind: 'text', text: 'Hi' },
  ]);
  expect(completion).toEqual({
    text: 'Hi',
    reasoning: 'Hm.',
    calls: [
      { callId: 'a', name: 'read', arguments: '{"path":"x"}' },
      { callId: 'b', name: 'glob', arguments: '{"pattern":"*' },
    ],
    finish: 'tool_calls',
    usage: { inputTokens: 10, outputTokens: 5 },
  });
});

test('a piece is shown while the rest is still to come', async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  server.enqueue({ chunks: [...answer({ text: 'Hi' }).slice(0, -1), DONE], gate });
  // The server holds its last piece until the text has been shown.
  const completion = await complete({ onDelta: () => open() });
  expect(completion.finish).toBe('stop');
});

test('a client that lags holds the stream back', async () => {
  server.enqueue([chunk({ content: 'a' }), chunk({ content: 'b' }), chunk({}, 'stop'), DONE]);
  const steps: string[] = [];
  await complete({
    async onDelta({ text }) {
      steps.push(`${text} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${text} ends`);
    },
  });
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('what the client throws is no broken stream', async () => {
  server.enqueue(answer({ text: 'Hi' }));
  const failure = new Error('the editor is gone');
  const onDelta = () => Promise.reject(failure);
  await expect(complete({ onDelta })).rejects.toBe(failure);
});

test('an abort keeps the text so far, and the endpoint sees us leave', async () => {
  const controller = new AbortController();
  server.enqueue({ chunks: [chunk({ content: 'Half' })], end: 'hang' });
  const completion = await complete({
    signal: controller.signal,
    onDelta: () => controller.abort(),
  });
  expect(completion).toMatchObject({ text: 'Half', finish: 'cancelled', calls: [] });
  await server.left();
});

test('an abort does not wait for a client that lags for ever', async () => {
  const controller = new AbortController();
  server.enqueue({ chunks: [chunk({ content: 'Half' })], end: 'hang' });
  const completion = await complete({
    signal: controller.signal,
    onDelta() {
      setImmediate(() => controller.abort());
      return new Promise(() => {});
    },
  });
  expect(completion).toMatchObject({ text: 'Half', finish: 'cancelled' });
});

test('an abort before the first byte is no error', async () => {
  const controller = new AbortController();
  server.enqueue({ chunks: [], end: 'hang' });
  const completing = complete({ signal: controller.signal });
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  expect(await completing).toMatchObject({ text: '', finish: 'cancelled' });
});

test('an abort before the request sends none', async () => {
  expect(await complete({ signal: AbortSignal.abort() })).toMatchObject({ finish: 'cancelled' });
  expect(server.requests).toEqual([]);
});

test('the signal of a long turn keeps no listener of a request that is over', async () => {
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners.add(args[1]);
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners.delete(args[1]);
    remove(...args);
  };
  server.enqueue(answer({ text: 'Hi' }));
  let during = 0;
  await complete({ signal, onDelta: () => void (during = listeners.size) });
  expect([during, listeners.size]).toEqual([1, 0]);
});

test('without a key, the way out', () => {
  const ready = () => modelOf(undefined).ready();
  expect(ready).toThrow(AuthError);
  expect(ready).toThrow(
    'No API key: OPENAI_API_KEY is not set, and none is stored. Run `planfold login` in a ' +
      "terminal, or set it in the environment that starts planfold (in an editor: the agent's " +
      '`env` setting), with OPENAI_BASE_URL and PLANFOLD_MODEL for an endpoint other than OpenAI ' +
      '(one that needs no key takes any value), and start the agent again.',
  );
});

test.each(['sk-secret\nsecond', 'sk secret', 'sk-secret→'])(
  'a key that no header can carry is refused before a request, and not shown: %j',
  (key) => {
    const ready = () => modelOf(key).ready();
    expect(ready).toThrow(AuthError);
    expect(ready).toThrow(/^OPENAI_API_KEY holds a space, a line break or a character beyond /);
    expect(ready).not.toThrow(/secret/);
  },
);

test('the library is loaded by the first request, not at the start', async () => {
  const { metafile } = await build({
    entryPoints: [new URL('../../src/model/openai.ts', import.meta.url).pathname],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    write: false,
    metafile: true,
    outfile: 'out.js',
  });
  const [output] = Object.values(metafile.outputs);
  const foreign = output?.imports.filter(({ path }) => !path.startsWith('node:'));
  expect(foreign).toEqual([{ path: 'openai', kind: 'dynamic-import', external: true }]);
});
