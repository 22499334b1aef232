import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AuthError, UserError } from '../../src/base/errors.ts';
import { createModel } from '../../src/model/openai.ts';
import type { RequestBody } from '../../src/model/types.ts';
import { answer, chunk, event } from '../harness/sse.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';

// The library binds the console when it is first used, so the watch begins before that.
const complained = vi.spyOn(console, 'error');
const KEY = 'sk-0123456789abcdef';
const BODY: RequestBody = {
  model: 'm',
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: 'user', content: 'Hi' }],
};

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

interface Options {
  baseURL?: string;
  apiKey?: string;
  onDelta?: () => void;
  /** Called when a response has begun. */
  onResponse?: () => void;
}

function complete({
  baseURL = server.url,
  apiKey = KEY,
  onDelta = () => {},
  onResponse = () => {},
}: Options = {}) {
  const provider = { name: 'test', baseURL, apiKey, apiKeyEnv: 'OPENAI_API_KEY', models: {} };
  const { signal } = new AbortController();
  const heard: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    onResponse();
    return response;
  };
  return createModel({ provider, fetch: heard }).complete({ body: BODY, signal, onDelta });
}

async function failureOf(completing: Promise<unknown>): Promise<Error> {
  try {
    await completing;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('The request did not fail.');
}

const openAiError = (message: string) => JSON.stringify({ error: { message, type: 'x' } });

// Status, body, and what the person reads after `The model endpoint <url> answered `.
const REFUSALS: [number, string, string][] = [
  [401, openAiError('Bad.'), '401: Bad. Check OPENAI_API_KEY and what it is allowed to use.'],
  [403, openAiError('No'), '403: No. Check OPENAI_API_KEY and what it is allowed to use.'],
  [404, openAiError('No m'), '404: No m. Check PLANFOLD_MODEL and OPENAI_BASE_URL.'],
  [404, '{"error":"no m"}', '404: no m. Check PLANFOLD_MODEL and OPENAI_BASE_URL.'],
  [404, '{"detail":"Not Found"}', '404: Not Found. Check PLANFOLD_MODEL and OPENAI_BASE_URL.'],
  [402, openAiError('Broke!'), '402: Broke! Check the balance of your account.'],
  [429, openAiError('Slow'), '429: Slow. Wait a while, or check the quota of your account.'],
  [429, `[${openAiError('List')}]`, '429: List. Wait a while, or check the quota of your account.'],
  [500, '', '500: no reason given. The provider has a problem; try again.'],
  [
    502,
    '<html>\n <h1>502 Bad Gateway: timed out</h1>\n</html>',
    '502: 502 Bad Gateway: timed out. The provider has a problem; try again.',
  ],
  [503, '{"odd":1}', '503: {"odd":1}. The provider has a problem; try again.'],
  [
    400,
    openAiError('Too long'),
    '400: Too long. The request was refused; a new session may help if this one became too long.',
  ],
  [
    422,
    '{"detail":[{"loc":["model"],"msg":"field required"}]}',
    '422: field required. ' +
      'The request was refused; a new session may help if this one became too long.',
  ],
];

describe('a status that refuses', () => {
  test.each(REFUSALS)('%i %s', async (status, body, words) => {
    server.enqueue({ status, chunks: body === '' ? [] : [body] });
    const error = await failureOf(complete());
    expect(error).toBeInstanceOf(status === 401 || status === 403 ? AuthError : UserError);
    expect(error.message).toBe(`The model endpoint ${server.url} answered ${words}`);
    // A retry is the loop's to make and to log.
    expect(server.requests.length).toBe(1);
  });

  test('a long page is cut short', async () => {
    server.enqueue({ status: 500, chunks: ['x'.repeat(100_000)] });
    expect((await failureOf(complete())).message).toContain(`500: ${'x'.repeat(500)}. The`);
  });

  test('the key is taken out of what the provider says', async () => {
    server.enqueue({ status: 401, chunks: [openAiError(`Incorrect API key: ${KEY}.`)] });
    const { message } = await failureOf(complete());
    expect(message).toContain('401: Incorrect API key: [key]. Check');
    expect(message).not.toContain(KEY);
  });

  test('the key is taken out before a long page is cut, so no part of it stays', async () => {
    server.enqueue({ status: 401, chunks: [`${'x'.repeat(490)}${KEY}`] });
    const { message } = await failureOf(complete());
    expect(message).toContain(`401: ${'x'.repeat(490)}[key]. Check`);
  });

  test('the key is taken out of the base URL', async () => {
    server.enqueue({ status: 404, chunks: [openAiError('No')] });
    const { message } = await failureOf(complete({ baseURL: `${server.url}/${KEY}` }));
    expect(message).toContain(`The model endpoint ${server.url}/[key] answered 404: No.`);
  });

  test('a body that breaks off leaves the status', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    server.enqueue({ status: 503, chunks: ['{"error":'], gate, end: 'reset' });
    const { message } = await failureOf(complete({ onResponse: () => open() }));
    expect(message).toBe(
      `The model endpoint ${server.url} answered 503: no reason given. ` +
        'The provider has a problem; try again.',
    );
  });

  test('a placeholder key is a plain word, and stays', async () => {
    server.enqueue({ status: 404, chunks: [openAiError('ollama has no such model.')] });
    expect((await failureOf(complete({ apiKey: 'ollama' }))).message).toContain('ollama has no');
  });
});

describe('no answer at all', () => {
  test.each(['127.0.0.1', 'localhost'])('nobody listens on %s', async (host) => {
    const port = await freePort();
    const baseURL = `http://${host}:${port}/v1`;
    const { message } = await failureOf(complete({ baseURL }));
    expect(message.startsWith(`The model endpoint ${baseURL} could not be reached: `)).toBe(true);
    expect(message).toContain(`connect ECONNREFUSED 127.0.0.1:${port}`);
    expect(message.endsWith('. Check the base URL and the network.')).toBe(true);
  });

  test('a host that nobody knows', async () => {
    const { message } = await failureOf(complete({ baseURL: 'http://planfold.invalid/v1' }));
    expect(message).toMatch(
      /^The model endpoint http:\/\/planfold\.invalid\/v1 could not be reached: getaddrinfo \w+ /,
    );
  });

  test('an empty stream', async () => {
    server.enqueue({ chunks: [] });
    expect((await failureOf(complete())).message).toBe(
      `The model endpoint ${server.url} sent no answer, only an empty stream ` +
        '(text/event-stream). Check that OPENAI_BASE_URL is the base of a chat completions API; ' +
        'it often ends in /v1.',
    );
  });

  test('a page, with what it says', async () => {
    const page = '<html><h1>Sign in</h1> to go on</html>';
    server.enqueue({ chunks: [page], headers: { 'content-type': 'text/html' } });
    expect((await failureOf(complete())).message).toBe(
      `The model endpoint ${server.url} answered with a page instead of an answer: ` +
        'Sign in to go on. Check the base URL; that of a chat completions API often ends in /v1.',
    );
  });
});

const BREAKS: [string, string, string][] = [
  ['an error object', event({ error: { message: `Overloaded, ${KEY}` } }), 'Overloaded, [key].'],
  ['an error of one string', event({ error: 'Overloaded' }), 'Overloaded.'],
  ['what is not JSON', 'data: {"choices":[\n\n', 'a piece of it is not JSON ('],
];

describe('a stream that breaks', () => {
  test.each(BREAKS)('by %s, after text: cut', async (_, piece, words) => {
    server.enqueue([chunk({ content: 'Half' }), piece]);
    const completion = await complete();
    expect(completion).toMatchObject({ text: 'Half', calls: [], finish: 'cut' });
    expect(completion.cutReason).toContain(
      `The answer of the model endpoint ${server.url} broke off: ${words}`,
    );
    expect(complained).not.toHaveBeenCalled();
  });

  test.each(BREAKS)('by %s, before anything: an error', async (_, piece, words) => {
    server.enqueue([chunk({ role: 'assistant', content: '' }), piece]);
    expect((await failureOf(complete())).message).toContain(`broke off: ${words}`);
  });

  test('by a reset, after text: cut, and the half call is dropped', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const half = { index: 0, id: 'a', function: { name: 'bash', arguments: '{"command":"rm' } };
    // The last piece is a comment: whether it still arrives does not matter.
    const chunks = [chunk({ tool_calls: [half] }), chunk({ content: 'Half' }), ': bye\n\n'];
    server.enqueue({ chunks, gate, end: 'reset' });
    const completion = await complete({ onDelta: () => open() });
    expect(completion).toMatchObject({ text: 'Half', calls: [], finish: 'cut' });
    expect(completion.cutReason).toMatch(/broke off: .*(ECONNRESET|other side closed)\.$/);
  });

  test('by its end before the answer is complete: cut', async () => {
    server.enqueue([chunk({ content: 'Half' })]);
    expect(await complete()).toMatchObject({
      text: 'Half',
      finish: 'cut',
      cutReason: 'The stream ended before the answer was complete.',
    });
  });

  test('after the answer is complete: nothing is lost', async () => {
    server.enqueue([...answer({ text: 'All' }).slice(0, -1), 'data: {\n\n']);
    expect(await complete()).toMatchObject({ text: 'All', finish: 'stop' });
  });
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
