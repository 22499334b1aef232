import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextMacrotask } from 'node:timers/promises';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk/unstable';
import { type ErrorObject, invalidRequest, parseError } from './errors.ts';
import { createLineSplitter } from './lines.ts';

/** How a connection's bytes become messages. */
export interface FrameOptions {
  input: Readable;
  output: Writable;
  /** Bytes of one incoming frame; a longer one is refused and passed over. */
  frameBytesMax: number;
  /** Milliseconds that requests in flight may still take once the input has ended. */
  drainMsMax: number;
  /** Called once when the client is gone: its end of either pipe is closed. */
  onGone: () => void;
}

/** The messages of a connection. */
export interface Frames {
  /** The next one; undefined once the input has ended and what is in flight was answered. */
  next: () => Promise<AnyMessage | undefined>;
  /** Resolves when more may be sent. */
  send: (message: AnyMessage) => Promise<void>;
}

/**
 * Newline-delimited JSON, with what the SDK leaves open: messages are delivered one a macrotask, so
 * that their handlers start in order; nothing is delivered while `initialize` is being answered; a
 * frame that is no JSON or too long is answered and the connection goes on; and after the end of
 * input the requests in flight get their answers before the end is told.
 */
export function openFrames(options: FrameOptions): Frames {
  const { input, output } = options;
  const inFlight = createInFlight();
  const write = createWriter(output);
  const frames = readFrames(input, options.frameBytesMax);

  let gone = false;
  const leave = () => {
    if (!gone) options.onGone();
    gone = true;
  };
  output.on('error', leave);

  const next: Frames['next'] = async () => {
    for (;;) {
      await inFlight.initialized();
      const frame = await nextFrame(frames);
      await nextMacrotask();
      if (frame === undefined) {
        leave();
        await inFlight.drained(options.drainMsMax);
        return undefined;
      }
      if ('problem' in frame) {
        await write({ jsonrpc: '2.0', id: null, error: frame.problem });
        continue;
      }
      inFlight.opened(frame.message);
      return frame.message;
    }
  };
  const send: Frames['send'] = async (message) => {
    await write(message);
    inFlight.answered(message);
  };
  return { next, send };
}

/**
 * Frames as the SDK's `Stream`; `first` comes before what is still to be read. It is what the SDK's
 * connection uses of one, and no more: it locks each side, reads or writes, and lets go again.
 * Node's own web streams take longer to load than all of the protocol library.
 */
export function toStream(frames: Frames, first?: AnyMessage): Stream {
  let end = () => {};
  let waiting = first;
  const next = async () => {
    const message = waiting === undefined ? await frames.next() : waiting;
    waiting = undefined;
    return message;
  };
  const reader = {
    read: () =>
      new Promise<{ done: boolean; value: AnyMessage | undefined }>((resolve, reject) => {
        end = () => resolve({ done: true, value: undefined });
        next().then((value) => resolve({ done: value === undefined, value }), reject);
      }),
    cancel: async () => end(),
    releaseLock() {},
  };
  const writer = { write: frames.send, releaseLock() {} };
  const stream = {
    readable: { getReader: () => reader },
    writable: { getWriter: () => writer },
  };
  return stream as unknown as Stream;
}

type Frame = { message: AnyMessage } | { problem: ErrorObject };

async function nextFrame(frames: AsyncGenerator<Frame>): Promise<Frame | undefined> {
  try {
    const { value, done } = await frames.next();
    return done ? undefined : value;
  } catch {
    // A broken pipe on the way in is the end of input.
    return undefined;
  }
}

async function* readFrames(input: Readable, bytesMax: number): AsyncGenerator<Frame> {
  const splitter = createLineSplitter(bytesMax);
  for await (const chunk of input) {
    for (const line of splitter.push(chunk)) yield* toFrame(line, bytesMax);
  }
  for (const line of splitter.end()) yield* toFrame(line, bytesMax);
}

function* toFrame(line: Buffer | 'too long', bytesMax: number): Generator<Frame> {
  if (line === 'too long') {
    const problem = `the frame is longer than ${bytesMax} bytes and was not read`;
    yield { problem: invalidRequest(problem) };
    return;
  }
  const text = line.toString('utf8').trim();
  if (text === '') return;
  try {
    // The SDK checks the envelope and answers what is no JSON-RPC message.
    yield { message: JSON.parse(text) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    yield { problem: parseError(why) };
  }
}

function createWriter(output: Writable): (message: unknown) => Promise<void> {
  return async (message) => {
    if (output.destroyed || output.write(`${JSON.stringify(message)}\n`)) return;
    if (output.writableNeedDrain)
      await Promise.race([once(output, 'drain'), once(output, 'close')]);
  };
}

interface InFlight {
  opened: (message: AnyMessage) => void;
  answered: (message: AnyMessage) => void;
  /** Resolves at once, or when the `initialize` that is open has its answer. */
  initialized: () => Promise<void>;
  drained: (msMax: number) => Promise<void>;
}

// The requests that were delivered and have no answer yet.
function createInFlight(): InFlight {
  const ids = new Set<unknown>();
  let initialize: { id: unknown; done: () => void; promise: Promise<void> } | undefined;
  let onDrained = () => {};
  return {
    opened(message) {
      if (!isCall(message) || !('id' in message)) return;
      ids.add(message.id);
      if (message.method !== 'initialize') return;
      const { promise, resolve } = deferred();
      initialize = { id: message.id, done: resolve, promise };
    },
    answered(message) {
      if (isCall(message) || !('id' in message)) return;
      ids.delete(message.id);
      if (initialize?.id === message.id) {
        initialize?.done();
        initialize = undefined;
      }
      if (ids.size === 0) onDrained();
    },
    initialized: async () => initialize?.promise,
    async drained(msMax) {
      if (ids.size === 0) return;
      const { promise, resolve } = deferred();
      onDrained = resolve;
      const timer = setTimeout(resolve, msMax);
      await promise;
      clearTimeout(timer);
    },
  };
}

function isCall(message: unknown): message is { method: string } {
  return typeof message === 'object' && message !== null && 'method' in message;
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
