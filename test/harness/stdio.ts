import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogEvent } from '../../src/log/events.ts';
import { readLog } from '../../src/log/read.ts';

const BINARY = new URL('../../bin/planfold.js', import.meta.url).pathname;
const KILL_AFTER = new URL('./killAfter.mjs', import.meta.url).href;

/** A JSON-RPC message, loosely typed: tests look into it. */
export type Message = {
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
};

/**
 * How a byte-level client answers a request of the agent; undefined leaves it without an answer.
 */
export type Answer = (message: Message) => Partial<Message> | undefined;

/** The built binary and a client that knows nothing but lines. */
export interface StdioAgent {
  child: ChildProcess;
  home: string;
  cwd: string;
  dataDir: string;
  /** Every line of stdout, in order, as it came. */
  lines: string[];
  messages: () => Message[];
  send: (message: unknown) => void;
  sendRaw: (text: string) => void;
  /** Sends a request and resolves with its answer. */
  request: (method: string, params: unknown) => Promise<Message>;
  /** Resolves with the first message, past or to come, that `match` accepts. */
  until: (match: (message: Message) => boolean) => Promise<Message>;
  /** Answers the agent's own requests from now on. */
  answerWith: (answer: Answer) => void;
  initialize: (clientCapabilities?: unknown) => Promise<Message>;
  newSession: () => Promise<string>;
  prompt: (sessionId: string, text: string) => Promise<Message>;
  exited: Promise<{ code: number | null; signal: string | null }>;
  log: () => LogEvent[];
}

/**
 * What a start may differ in: the home of an earlier one, the line of the log that kills it, and
 * the program.
 */
export interface StartOptions {
  binary?: string;
  home?: string;
  killAfter?: number;
}

/**
 * Starts the binary in a new workspace with its own data directory, or in those of an earlier start;
 * `args` are added to `acp`.
 */
export function startStdio(
  env: NodeJS.ProcessEnv = {},
  args: (cwd: string) => string[] = () => [],
  options: StartOptions = {},
): StdioAgent {
  const home = options.home ?? realpathSync(mkdtempSync(join(tmpdir(), 'planfold-stdio-')));
  const cwd = join(home, 'workspace');
  const dataDir = join(home, 'data');
  mkdirSync(cwd, { recursive: true });
  const killer = options.killAfter === undefined ? [] : ['--import', KILL_AFTER];
  const child = spawn(
    process.execPath,
    [...killer, options.binary ?? BINARY, 'acp', ...args(cwd)],
    {
      cwd,
      env: {
        ...process.env,
        SHELL: '/bin/sh',
        PLANFOLD_HOME: dataDir,
        XDG_CONFIG_HOME: join(home, 'config'),
        KILL_AFTER: String(options.killAfter),
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let answer: Answer = () => undefined;
  let rest = '';
  let ids = 0;

  const received: Message[] = [];
  const messages = () => received;
  const sendRaw = (text: string) => void child.stdin.write(text);
  const send = (message: unknown) => sendRaw(`${JSON.stringify(message)}\n`);
  const receive = (line: string) => {
    lines.push(line);
    const message = JSON.parse(line) as Message;
    received.push(message);
    if (message.method !== undefined && message.id !== undefined) {
      const reply = answer(message);
      if (reply) send({ jsonrpc: '2.0', id: message.id, ...reply });
    }
    for (const check of waiting) check();
  };
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) receive(part);
  });
  const until = (match: (message: Message) => boolean) =>
    new Promise<Message>((resolve) => {
      const check = () => {
        const found = messages().find(match);
        if (!found) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  const request = (method: string, params: unknown) => {
    const id = `t${++ids}`;
    send({ jsonrpc: '2.0', id, method, params });
    return until((message) => message.id === id && message.method === undefined);
  };
  return {
    child,
    home,
    cwd,
    dataDir,
    lines,
    messages,
    send,
    sendRaw,
    request,
    until,
    answerWith: (next) => {
      answer = next;
    },
    initialize: (clientCapabilities = {}) =>
      request('initialize', { protocolVersion: 1, clientCapabilities }),
    async newSession() {
      const { result } = await request('session/new', { cwd, mcpServers: [] });
      return String(result?.['sessionId']);
    },
    prompt: (sessionId, text) =>
      request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    exited: new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    }),
    log: () => readLog(onlyLog(dataDir)),
  };
}

/** The path of the only session log below a data directory. */
export function onlyLog(dataDir: string): string {
  const sessions = join(dataDir, 'sessions');
  const logs = readdirSync(sessions, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  const [only] = logs;
  if (only === undefined || logs.length > 1) throw new Error(`${logs.length} logs in ${sessions}`);
  return join(sessions, only);
}

/** The update of a `session/update` message, if it is one. */
export function update(message: Message): Record<string, unknown> | undefined {
  if (message.method !== 'session/update') return undefined;
  return message.params?.['update'] as Record<string, unknown>;
}

/** Answers permissions with an option; every other request of the agent stays open. */
export function permit(optionId = 'allow_once'): Answer {
  return ({ method }) =>
    method === 'session/request_permission'
      ? { result: { outcome: { outcome: 'selected', optionId } } }
      : undefined;
}
