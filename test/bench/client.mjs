/**
 * The benchmark's client: speaks ACP to an agent's process with as little work as possible, so that
 * what is measured is the agent.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const NO_ANSWER_MS = 120_000;
const LEAVE_MS = 5_000;

/**
 * Starts an agent.
 * @param {string[]} argv
 * @param {NodeJS.ProcessEnv} env
 * @param {{ keepText?: boolean }} options `keepText: false` throws updates away
 */
export function startAgent([file = '', ...args], env, { keepText = true } = {}) {
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  /** @type {string[]} */
  let lines = [];
  const rpc = createRpc((message) => child.stdin.write(`${JSON.stringify(message)}\n`));

  let stderr = '';
  child.stderr.on('data', (bytes) => {
    stderr += bytes;
  });
  child.stdin.on('error', () => undefined);
  child.on('error', (error) => rpc.fail(error));
  child.on('close', (code, signal) => {
    rpc.fail(new Error(`${[file, ...args].join(' ')} ended with ${code ?? signal}.\n${stderr}`));
  });
  readLines(child.stdout, (line) => {
    const isUpdate = line.includes('"session/update"');
    if (isUpdate && keepText) lines.push(line);
    if (!isUpdate) rpc.receive(JSON.parse(line));
  });

  const takeLines = () => {
    const taken = lines;
    lines = [];
    return taken;
  };
  return {
    request: rpc.request,
    /** The text that was streamed since the last look. */
    takeText() {
      const chunks = takeLines().filter((line) => line.includes('"agent_message_chunk"'));
      return chunks.map((line) => JSON.parse(line).params.update.content.text).join('');
    },
    /** The frames of updates since the last look, as they came. */
    takeLines,
    /** A field of `/proc/<pid>/status` in MiB, NaN without `/proc`. @param {string} field */
    memory(field) {
      if (process.platform !== 'linux') return Number.NaN;
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
    },
    /** Closes stdin, which is how an agent is told to leave. */
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      const kill = setTimeout(() => child.kill('SIGKILL'), LEAVE_MS);
      child.stdin.end();
      await gone;
      clearTimeout(kill);
    },
  };
}

/** @param {(message: object) => void} send */
function createRpc(send) {
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let lastId = 0;
  /** @type {Error | undefined} */
  let failure;

  return {
    /** @param {string} method @param {object} params @returns {Promise<any>} */
    async request(method, params) {
      if (failure !== undefined) throw failure;
      const id = (lastId += 1);
      const late = setTimeout(() => {
        waiting.get(id)?.reject(new Error(`No answer to ${method} in ${NO_ANSWER_MS} ms.`));
      }, NO_ANSWER_MS);
      try {
        return await new Promise((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          send({ jsonrpc: '2.0', id, method, params });
        });
      } finally {
        clearTimeout(late);
        waiting.delete(id);
      }
    },
    /** @param {any} message */
    receive({ id, method, result, error }) {
      if (id === undefined) return;
      if (method !== undefined) {
        const refusal = { code: -32601, message: `The benchmark has no ${method}.` };
        send({ jsonrpc: '2.0', id, error: refusal });
      } else if (error === undefined) waiting.get(id)?.resolve(result);
      else waiting.get(id)?.reject(new Error(JSON.stringify(error)));
    },
    /** @param {Error} error */
    fail(error) {
      failure = error;
      for (const { reject } of waiting.values()) reject(error);
    },
  };
}

/**
 * @param {NodeJS.ReadableStream} stream
 * @param {(line: string) => void} onLine
 */
export function readLines(stream, onLine) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
  });
}
