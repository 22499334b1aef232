import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogEvent } from '../../src/log/events.ts';
import { verifyLog } from '../../src/session/verify.ts';
import { type Editor, openEditor } from '../harness/editor.ts';
import {
  type ModelServer,
  type ScriptedResponse,
  startModelServer,
} from '../harness/modelServer.ts';
import { answer, chunk, DONE, event, USAGE } from '../harness/sse.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const status = (code: number, words: string, headers = {}): ScriptedResponse => ({
  status: code,
  headers: { 'content-type': 'application/json', ...headers },
  chunks: [JSON.stringify({ error: { message: words } })],
});
const GOOD = answer({ text: 'Good.' });
const START = chunk({ role: 'assistant', content: '' });
const HALF_CALL = chunk({
  tool_calls: [{ index: 0, id: 'c', function: { name: 'write', arguments: '{"path":"a' } }],
});

/** A fault: what the endpoint does, and what must come of it. */
interface Fault {
  name: string;
  script: (ScriptedResponse | string[])[];
  /** The requests that are made, and the repetitions in the log. */
  requests: number;
  /** The texts of the answers in the log; those that were cut off end in an ellipsis. */
  answers: string[];
  /** What a person reads where the prompt fails. */
  error?: RegExp;
}

// This table is the documentation of what is done about each fault.
const FAULTS: Fault[] = [
  ...[408, 409, 429, 500, 502, 503, 529].map((code) => ({
    name: `${code}, then an answer`,
    script: [status(code, 'Later'), GOOD],
    requests: 2,
    answers: ['Good.'],
  })),
  {
    name: '429 that says when',
    script: [status(429, 'Slow down', { 'retry-after-ms': '20' }), GOOD],
    requests: 2,
    answers: ['Good.'],
  },
  {
    name: '429 that asks for an hour',
    script: [status(429, 'Quota', { 'retry-after': '3600' })],
    requests: 1,
    answers: [],
    error: /answered 429: Quota\..*asks to wait for 3600 seconds/,
  },
  {
    name: '503 again and again',
    script: Array.from({ length: 3 }, () => status(503, 'Overloaded')),
    requests: 3,
    answers: [],
    error: /answered 503: Overloaded\. .* It was tried 3 times\./,
  },
  ...[400, 401, 402, 403, 404, 413, 422].map((code) => ({
    name: `${code} is not repeated`,
    script: [status(code, 'No such thing')],
    requests: 1,
    answers: [],
    error: new RegExp(`answered ${code}: No such thing`),
  })),
  {
    name: 'an empty stream, then an answer',
    script: [[], GOOD],
    requests: 2,
    answers: ['Good.'],
  },
  {
    name: 'an empty answer, then an answer',
    script: [answer({}), GOOD],
    requests: 2,
    answers: ['Good.'],
  },
  {
    name: 'reset before the first byte',
    script: [{ chunks: [], end: 'reset' }, GOOD],
    requests: 2,
    answers: ['Good.'],
  },
  {
    name: 'cut after thoughts only',
    script: [{ chunks: [START, chunk({ reasoning_content: 'Hm' })], end: 'reset' }, GOOD],
    requests: 2,
    answers: ['…', 'Good.'],
  },
  {
    name: 'cut in the middle of the text',
    script: [{ chunks: [START, chunk({ content: 'Half' })], end: 'reset' }, GOOD],
    requests: 2,
    answers: ['Half…', 'Good.'],
  },
  {
    name: 'cut in the middle of the text, twice',
    script: [
      [START, chunk({ content: 'Half' })],
      [START, chunk({ content: 'Another half' })],
    ],
    requests: 2,
    answers: ['Half…', 'Another half…'],
    error: /stream ended before the answer was complete.* It was tried 2 times/,
  },
  {
    name: 'cut in the middle of a call',
    script: [{ chunks: [START, HALF_CALL], end: 'reset' }, GOOD],
    requests: 2,
    answers: ['Good.'],
  },
  {
    name: 'cut after the finish reason',
    script: [{ chunks: [chunk({ content: 'Whole.' }), chunk({}, 'stop')], end: 'reset' }],
    requests: 1,
    answers: ['Whole.'],
  },
  {
    name: 'an error object in the stream that passes',
    script: [[START, event({ error: { code: 503, message: 'Overloaded' } })], GOOD],
    requests: 2,
    answers: ['Good.'],
  },
  {
    name: 'an error object in the stream that does not',
    script: [[START, event({ error: { code: 400, message: 'Bad tool schema' } })]],
    requests: 1,
    answers: [],
    error: /Bad tool schema/,
  },
  {
    name: 'a page with status 200',
    script: [{ chunks: ['<h1>Sign in</h1>'], headers: { 'content-type': 'text/html' } }],
    requests: 1,
    answers: [],
    error: /a page instead of an answer: Sign in/,
  },
  {
    name: 'no [DONE]',
    script: [[chunk({ content: 'Whole.' }), chunk({}, 'stop')]],
    requests: 1,
    answers: ['Whole.'],
  },
  {
    name: '[DONE], and the connection stays open',
    script: [{ chunks: answer({ text: 'Whole.' }), end: 'hang' }],
    requests: 1,
    answers: ['Whole.'],
  },
  {
    name: 'keep-alives, comments and CRLF',
    script: [
      [
        ': keep-alive\n\n',
        chunk({ content: 'Whole' }).replaceAll('\n', '\r\n'),
        ': OPENROUTER PROCESSING\n\n',
        chunk({ content: '.' }),
        chunk({}, 'stop').replaceAll('\n', '\r\n'),
        USAGE,
        DONE,
      ],
    ],
    requests: 1,
    answers: ['Whole.'],
  },
];

async function open(): Promise<Editor> {
  return openEditor({
    server,
    notices: true,
    config: { limits: { retriesMax: 2, retryDelayMs: 2 } },
  });
}

function answersIn(events: readonly LogEvent[]): string[] {
  return events.flatMap((one) =>
    one.type === 'assistant/message' ? [`${one.text}${one.partial ? '…' : ''}`] : [],
  );
}

describe.each(FAULTS)('$name', ({ script, requests, answers, error }) => {
  test('is met as the table says', async () => {
    const editor = await open();
    const before = server.requests.length;
    server.enqueue(...script);
    const outcome = await editor.prompt('Go').then(
      ({ stopReason }) => stopReason,
      (failure: Error) => failure.message,
    );
    if (error) expect(outcome).toMatch(error);
    else expect(outcome).toBe('end_turn');
    expect(server.requests.length - before).toBe(requests);
    expect(server.waiting()).toBe(0);
    const events = editor.log();
    expect(answersIn(events)).toEqual(answers);
    const retries = events.filter(({ type }) => type === 'retry');
    expect(retries).toHaveLength(requests - 1);
    const told = editor.updates().filter((one) => one.sessionUpdate === 'notice');
    expect(told.length).toBeGreaterThanOrEqual(retries.length);
    expect(events.some(({ type }) => type === 'tool/call')).toBe(false);
    // The repeated request is the same request, and the next one has only what came whole.
    const sent = server.requests.slice(before).map(({ text }) => text);
    expect(new Set(sent).size).toBe(1);
    server.enqueue(GOOD);
    await editor.prompt('Next');
    const last = JSON.stringify(server.requests.at(-1)?.body.messages);
    if (answers.length === 2 && !error) expect(last).not.toContain('Half');
    expect(verifyLog(editor.logPath).problems).toEqual([]);
    await editor.close();
  });
});

test('waiting for the next try is cancelled at once', async () => {
  const editor = await openEditor({ server, config: { limits: { retryDelayMs: 60_000 } } });
  server.enqueue(status(503, 'Overloaded'));
  const prompted = editor.prompt('Go');
  while (!editor.log().some(({ type }) => type === 'retry')) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await editor.cancel();
  expect((await prompted).stopReason).toBe('cancelled');
  await editor.close();
});

test('200 turns with a fault at random each: nothing is lost, doubled, or run twice', async () => {
  const editor = await open();
  const bad: (ScriptedResponse | string[])[] = [
    status(503, 'Overloaded'),
    status(400, 'Bad request'),
    [],
    { chunks: [], end: 'reset' },
    [START, chunk({ content: 'Half' })],
    { chunks: [START, HALF_CALL], end: 'reset' },
    [START, event({ error: { message: 'Broken' } })],
  ];
  let random = 7;
  const next = (below: number) => {
    random = (random * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((random / 2 ** 31) * below);
  };
  for (let turn = 1; turn <= 200; turn++) {
    const fault = bad[next(bad.length)] ?? [];
    const works = { id: `call_${turn}`, name: 'bash', arguments: { command: `echo ${turn}` } };
    const script = [fault, answer({ calls: [works] }), bad[next(bad.length)] ?? [], GOOD];
    server.enqueue(...script);
    await editor.prompt(`Turn ${turn}`).catch((error: Error) => {
      expect(error.message).toMatch(/answered|broke off|stream|empty/);
    });
    server.clear();
  }
  const events = editor.log();
  const said = events.flatMap((one) => (one.type === 'user/message' ? [one.content[0]] : []));
  expect(said).toEqual(
    Array.from({ length: 200 }, (_, turn) => ({ type: 'text', text: `Turn ${turn + 1}` })),
  );
  const ran = events.flatMap((one) => (one.type === 'tool/call' ? [one.callId] : []));
  expect(new Set(ran).size).toBe(ran.length);
  expect(ran.length).toBeGreaterThan(50);
  expect(verifyLog(editor.logPath).problems).toEqual([]);
  await editor.close();
});

test('an endpoint that never answers delays neither the start nor a session', async () => {
  let connections = 0;
  const blackHole = createServer(() => connections++);
  await new Promise<void>((resolve) => blackHole.listen(0, '127.0.0.1', resolve));
  const { port } = blackHole.address() as AddressInfo;
  const editor = await openEditor({
    server,
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` },
  });
  await editor.setMode('plan');
  await editor.prompt('/status');
  // Nobody was asked anything until there is something to ask.
  expect(connections).toBe(0);
  await editor.close();
  blackHole.close();
});
