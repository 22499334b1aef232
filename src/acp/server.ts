import { agent, methods, RequestError, type Stream } from '@agentclientprotocol/sdk/unstable';
import { AGENT } from '../base/version.ts';
import type { AgentSide } from './agent_side.ts';
import type { LateClient } from './client_port.ts';
import { toErrorObject } from './errors.ts';
import { type Hello, readHello } from './hello.ts';

/** A connection to one client. */
export interface Served {
  /** Resolves when the connection is closed and everything that could be answered was. */
  closed: Promise<void>;
}

/**
 * The whole wire: each method that Planfold answers, and the function that answers it. `hello` is
 * the client's first `initialize`, where that has its answer already; `client` is connected.
 */
export function serve(
  stream: Stream,
  side: AgentSide,
  { client, hello }: { client: LateClient; hello?: Hello | undefined },
): Served {
  const of = methods.agent;
  const app = agent({ name: AGENT.name });
  if (hello) {
    // With a function of ours to read it, the library waits for no `initialize` before the rest.
    app.onRequest(of.initialize, readAgain, (c) => answer(() => side.initialize(c.params)));
  } else {
    app.onRequest(of.initialize, (c) => answer(() => side.initialize(c.params)));
  }
  const connection = app
    .onRequest(of.authenticate, (c) => answer(() => side.authenticate(c.params)))
    .onRequest(of.logout, () => answer(() => side.logout()))
    .onRequest(of.session.new, (c) => answer(() => side.newSession(c.params)))
    .onRequest(of.session.load, (c) => answer(() => side.loadSession(c.params)))
    .onRequest(of.session.resume, (c) => answer(() => side.resumeSession(c.params)))
    .onRequest(of.session.fork, (c) => answer(() => side.forkSession(c.params)))
    .onRequest(of.session.list, (c) => answer(() => side.listSessions(c.params)))
    .onRequest(of.session.close, (c) => answer(() => side.closeSession(c.params)))
    .onRequest(of.session.delete, (c) => answer(() => side.deleteSession(c.params)))
    .onRequest(of.session.setMode, (c) => answer(() => side.setMode(c.params)))
    .onRequest(of.session.setConfigOption, (c) => answer(() => side.setConfigOption(c.params)))
    .onRequest(of.session.prompt, (c) => answer(() => side.prompt(c.params, c.signal)))
    .onNotification(of.session.cancel, ({ params }) => side.cancel(params))
    .connect(stream);
  client.connect(connection.client);
  return { closed: connection.closed };
}

// What a handler throws reaches the client as a JSON-RPC error in our own words.
async function answer<Response>(handle: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await handle();
  } catch (error) {
    const { code, message } = toErrorObject(error);
    throw new RequestError(code, message);
  }
}

function readAgain(params: unknown): Hello {
  const hello = readHello(params);
  if (hello) return hello;
  throw RequestError.invalidParams(
    undefined,
    '`initialize` takes a `protocolVersion`, a whole number, and `clientCapabilities`.',
  );
}
