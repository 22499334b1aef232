import type { AnyMessage, NewSessionRequest } from '@agentclientprotocol/sdk/unstable';
import { isObject } from '../base/json.ts';
import type { AgentSide } from './agent_side.ts';
import { toErrorObject } from './errors.ts';
import { type Hello, readHello } from './hello.ts';
import type { Frames } from './stream.ts';

/** How a connection has begun. */
export interface Beginning {
  /** The `initialize` that has its answer. */
  hello: Hello | undefined;
  /** The first frame that was left to the protocol library; undefined where none was yet. */
  left: AnyMessage | undefined;
}

/**
 * Answers what an editor opens a thread with, an `initialize` and a `session/new`, ahead of the
 * protocol library: loading that takes as long as all the rest. Only where they are plain, and in
 * this order; anything else is left.
 */
export async function answerAhead(frames: Frames, side: AgentSide): Promise<Beginning> {
  const first = await frames.next();
  const hello = readRequest(first, 'initialize', readHello);
  if (!hello) return { hello: undefined, left: first };
  await frames.send(await answerOf(hello, async (params) => side.initialize(params)));
  const second = await frames.next();
  const opening = readRequest(second, 'session/new', readNewSession);
  if (!opening) return { hello: hello.params, left: second };
  await frames.send(await answerOf(opening, side.newSession));
  return { hello: hello.params, left: undefined };
}

interface PlainRequest<P> {
  id: string | number;
  params: P;
}

function readRequest<P>(
  message: unknown,
  wanted: string,
  read: (params: unknown) => P | undefined,
): PlainRequest<P> | undefined {
  if (!isObject(message) || message['jsonrpc'] !== '2.0') return undefined;
  const { id, method } = message;
  if (method !== wanted || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  const params = read(message['params']);
  return params && { id, params };
}

async function answerOf<P>(
  { id, params }: PlainRequest<P>,
  work: (params: P) => Promise<object>,
): Promise<AnyMessage> {
  try {
    return { jsonrpc: '2.0', id, result: await work(params) };
  } catch (error) {
    return { jsonrpc: '2.0', id, error: toErrorObject(error) };
  }
}

// Servers, and whatever else there may be, are for the library to judge.
function readNewSession(params: unknown): NewSessionRequest | undefined {
  if (!isObject(params)) return undefined;
  const { cwd, additionalDirectories, mcpServers, systemPrompt } = params;
  const directories = additionalDirectories ?? [];
  if (typeof cwd !== 'string' || !isList(directories) || !isList(mcpServers)) return undefined;
  if (mcpServers.length > 0 || (systemPrompt ?? undefined) !== undefined) return undefined;
  return { cwd, additionalDirectories: directories, mcpServers: [] };
}

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
