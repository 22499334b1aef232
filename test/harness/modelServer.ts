import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestBody } from '../../src/model/types.ts';

/** One response of the server. */
export interface ScriptedResponse {
  status?: number;
  headers?: Record<string, string>;
  chunks: string[];
  /** Awaited before the last chunk goes out. */
  gate?: Promise<unknown>;
  /** How it ends: closed (default), with the connection reset, or open until the client leaves. */
  end?: 'close' | 'reset' | 'hang';
}

/** A request as it arrived. */
export interface ReceivedRequest {
  text: string;
  body: RequestBody;
  headers: IncomingMessage['headers'];
}

/** A real HTTP server that speaks the provider's side, from a script. */
export interface ModelServer {
  /** The base URL, ending in `/v1`. */
  url: string;
  requests: ReceivedRequest[];
  /** Responses are served in the order in which they were put here. */
  enqueue: (...responses: (ScriptedResponse | string[])[]) => void;
  /** Forgets the responses nobody has asked for. */
  clear: () => void;
  /** Responses nobody has asked for yet. */
  waiting: () => number;
  /** Resolves when the client of a hanging response has left. */
  left: () => Promise<void>;
  close: () => Promise<void>;
}

/**
 * Starts the server on a free port of the loopback interface. `respond` answers when nothing is
 * queued, by what it is asked.
 */
export async function startModelServer(
  respond?: (body: RequestBody) => ScriptedResponse | string[],
): Promise<ModelServer> {
  const queue: ScriptedResponse[] = [];
  const requests: ReceivedRequest[] = [];
  let onLeft = () => {};
  const left = new Promise<void>((resolve) => {
    onLeft = resolve;
  });
  const server = createServer((request, response) => {
    // Nobody but a person who looks for what is wrong asks for a list of models.
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ object: 'list', data: [{ id: 'test-model', object: 'model' }] }),
      );
      return;
    }
    void readAll(request).then((text) => {
      requests.push({ text, body: JSON.parse(text), headers: request.headers });
      const body: RequestBody = JSON.parse(text);
      const over = { status: 400, chunks: ['the script is over'] };
      const scripted = queue.shift() ?? toResponse(respond?.(body) ?? over);
      response.once('close', () => onLeft());
      return send(response, scripted);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    enqueue: (...responses) => void queue.push(...responses.map(toResponse)),
    clear: () => void queue.splice(0),
    waiting: () => queue.length,
    left: () => left,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function toResponse(scripted: ScriptedResponse | string[]): ScriptedResponse {
  return Array.isArray(scripted) ? { chunks: scripted } : scripted;
}

async function readAll(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

async function send(response: ServerResponse, scripted: ScriptedResponse): Promise<void> {
  const { status = 200, chunks, gate, end = 'close' } = scripted;
  response.writeHead(status, { 'content-type': 'text/event-stream', ...scripted.headers });
  response.flushHeaders();
  for (const [index, piece] of chunks.entries()) {
    if (index === chunks.length - 1) await gate;
    await new Promise<void>((resolve) => response.write(piece, () => resolve()));
  }
  if (end === 'reset') response.socket?.resetAndDestroy();
  else if (end === 'close') response.end();
}
