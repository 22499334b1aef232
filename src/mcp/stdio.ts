import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { endGroup, signalGroup, watchGroup } from '../sandbox/group.ts';

/** How long a server may take to leave when its stdin is closed, in milliseconds. */
const LEAVE_MS_MAX = 300;

/** How much of what a server writes to stderr is kept, in characters: the end of it. */
const STDERR_LENGTH_MAX = 2000;

/** The longest line that a server may send, in bytes. */
const LINE_BYTES_MAX = 32 * 1024 * 1024;

/** What is started. */
export interface StdioProgram {
  command: string;
  args: readonly string[];
  /** Its whole environment. */
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** A connection to a server that is a process of ours. */
export interface StdioTransport extends Transport {
  /** What the server last wrote to stderr. */
  stderr: () => string;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Starts a server in a process group of its own, so that closing ends whatever it has started. The
 * transport of the library starts it among our own processes and waits seconds for it to leave.
 */
export function createStdioTransport({ command, args, env, cwd }: StdioProgram): StdioTransport {
  let child: Child | undefined;
  let stderr = '';
  let closed = false;

  const transport: StdioTransport = {
    stderr: () => stderr.trim(),
    async start() {
      if (closed) throw new Error('it was closed before it was started');
      const started = spawn(command, args, { env, cwd, detached: true, stdio: 'pipe' });
      child = started;
      if (started.pid !== undefined) watchGroup(started.pid);
      // A server that is gone cannot be written to; its end is told by `exit`.
      started.stdin.on('error', () => {});
      started.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr = `${stderr}${text}`.slice(-STDERR_LENGTH_MAX);
      });
      readLines(started.stdout, (line) => receive(transport, line));
      started.once('exit', () => {
        if (started.pid !== undefined) endGroup(started.pid);
      });
      started.once('close', () => transport.onclose?.());
      await new Promise<void>((resolve, reject) => {
        started.once('spawn', resolve);
        started.once('error', reject);
      });
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        if (!child?.stdin.writable) reject(new Error('the server is gone'));
        else child.stdin.write(`${JSON.stringify(message)}\n`, () => resolve());
      }),
    async close() {
      closed = true;
      await end(child);
    },
  };
  return transport;
}

function receive(transport: Transport, line: string): void {
  let message: JSONRPCMessage;
  try {
    message = JSON.parse(line);
  } catch {
    // A server that prints something else between its messages is none the worse for it.
    return;
  }
  transport.onmessage?.(message);
}

function readLines(stream: Readable, onLine: (line: string) => void): void {
  let pieces: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    let rest = chunk;
    for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10)) {
      const line = Buffer.concat([...pieces, rest.subarray(0, at)]);
      pieces = [];
      bytes = 0;
      rest = rest.subarray(at + 1);
      if (line.length > 0) onLine(line.toString('utf8'));
    }
    bytes += rest.length;
    if (bytes > LINE_BYTES_MAX) stream.destroy();
    else if (rest.length > 0) pieces.push(rest);
  });
}

async function end(child: Child | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const { pid } = child;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.stdin.end();
  const polite = setTimeout(() => signalGroup(pid, 'SIGTERM'), LEAVE_MS_MAX / 2);
  const hard = setTimeout(() => signalGroup(pid, 'SIGKILL'), LEAVE_MS_MAX);
  await gone;
  clearTimeout(polite);
  clearTimeout(hard);
}
