import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLog } from '../../src/log/read.ts';
import { findLog } from '../../src/session/library.ts';
import { verifyLog } from '../../src/session/verify.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';
import { type Message, type StdioAgent, startStdio } from '../harness/stdio.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(() => answer({ text: 'Yes.' }));
});
afterAll(() => server.close());

const env = () => ({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: server.url });

async function start(home?: string): Promise<StdioAgent> {
  const agent = startStdio(env(), undefined, home === undefined ? {} : { home });
  await agent.initialize();
  return agent;
}

interface Stored {
  home: string;
  sessionId: string;
  path: string;
}

async function stored(text = 'Hello'): Promise<Stored> {
  const agent = await start();
  const sessionId = await agent.newSession();
  await agent.prompt(sessionId, text);
  await agent.prompt(sessionId, 'And again');
  agent.child.stdin?.end();
  await agent.exited;
  return { home: agent.home, sessionId, path: findLog(agent.dataDir, sessionId) };
}

async function open(method: string, { home, sessionId }: Stored, prompt?: string) {
  const agent = await start(home);
  const opened: Message = await agent.request(method, {
    sessionId,
    cwd: agent.cwd,
    mcpServers: [],
  });
  if (prompt !== undefined) {
    expect((await agent.prompt(sessionId, prompt)).result?.['stopReason']).toBe('end_turn');
  }
  agent.child.stdin?.end();
  await agent.exited;
  return opened;
}

const HALF = '{"seq":99,"time":"2026-01-01T00:00:00.000Z","type":"turn/st';

describe('what a crash leaves at the end is kept aside, and is no history', () => {
  test.each<[string, Buffer]>([
    ['half a line', Buffer.from(HALF)],
    ['half a character', Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xe2, 0x82])])],
    ['a block of zero bytes', Buffer.alloc(4096)],
    ['a whole line without its newline', Buffer.from(`${HALF}art","turn":3}`)],
    ['half a line and zero bytes', Buffer.concat([Buffer.from(HALF), Buffer.alloc(512)])],
    ['a line of zero bytes', Buffer.concat([Buffer.alloc(64), Buffer.from('\n')])],
  ])('%s', async (_, tail) => {
    for (const method of ['session/load', 'session/resume']) {
      const session = await stored();
      const whole = readFileSync(session.path);
      appendFileSync(session.path, tail);
      const { error } = await open(method, session, 'Go on');
      expect(error).toBeUndefined();
      expect(readFileSync(`${session.path}.torn`).equals(tail)).toBe(true);
      expect(readFileSync(session.path).subarray(0, whole.length).equals(whole)).toBe(true);
      expect(verifyLog(session.path)).toMatchObject({ problems: [], tornBytes: 0 });
      expect(readLog(session.path).filter(({ type }) => type === 'turn/start')).toHaveLength(3);
    }
  });
});

/** The log with line `number` (from 1) replaced. */
function withLine(path: string, number: number, change: (line: string) => string): void {
  const lines = readFileSync(path, 'utf8').split('\n');
  lines[number - 1] = change(lines[number - 1] ?? '');
  writeFileSync(path, lines.join('\n'));
}

describe('damage in the middle refuses the load, and leaves the file as it is', () => {
  test.each<[string, number, (line: string) => string, string]>([
    ['a line that is cut', 3, (line) => line.slice(0, 30), 'not JSON'],
    ['a line of zero bytes', 3, () => '\0'.repeat(40), 'not JSON'],
    ['an empty line', 3, () => '', 'not JSON'],
    ['an unknown event', 3, (line) => line.replace('user/message', 'user/whisper'), 'user/whisper'],
    [
      'a field of another type',
      3,
      (line) => line.replace(/"messageId":"/, '"messageId":1,"x":"'),
      '',
    ],
    ['a line that is missing', 3, (line) => line.replace('"seq":3', '"seq":4'), 'expected 3'],
    ['a newer format', 1, (line) => line.replace('"v":1', '"v":2'), 'log format 2'],
    ['a first line that is another', 1, (line) => line.replace('session/created', 'x'), '"x"'],
  ])('%s', async (...[, number, change, reason]) => {
    const session = await stored();
    withLine(session.path, number, change);
    const damaged = readFileSync(session.path);
    for (const method of ['session/load', 'session/resume', 'session/fork']) {
      const { error } = await open(method, session);
      expect(error?.message).toContain(`${session.path}, line ${number}:`);
      expect(error?.message).toContain(reason);
      expect(error?.message).toContain('planfold sessions salvage');
      expect(readFileSync(session.path).equals(damaged)).toBe(true);
    }
  });
});

test('any text comes through: separators, lone surrogates, NUL, and a line of 8 MB', async () => {
  const odd = 'a\u2028b\u2029c\u0085d\ud800e\0f\r\ng';
  const agent = await start();
  const sessionId = await agent.newSession();
  await agent.prompt(sessionId, odd);
  server.enqueue(answer({ text: 'x'.repeat(8 << 20) }));
  await agent.prompt(sessionId, 'Much, please');
  agent.child.stdin?.end();
  await agent.exited;
  const path = findLog(agent.dataDir, sessionId);
  const { result } = await open('session/load', { home: agent.home, sessionId, path }, 'Go on');
  expect(result).toBeDefined();
  const messages = server.requests.at(-1)?.body.messages;
  expect(messages?.[1]?.content).toBe(odd);
  expect(messages?.[4]?.content).toHaveLength(8 << 20);
  expect(verifyLog(path).problems).toEqual([]);
});
