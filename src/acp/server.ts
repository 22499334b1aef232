import { agent, methods, type Stream } from '@agentclientprotocol/sdk/unstable';
import { AGENT } from '../base/version.ts';
import type { AgentSide } from './agent_side.ts';
import { answering } from './errors.ts';

/** A connection to one client. */
export interface Served {
  /** Resolves when the connection is closed and everything that could be answered was. */
  closed: Promise<void>;
}

/** The whole wire: each method that Planfold answers, and the function that answers it. */
export function serve(stream: Stream, side: AgentSide): Served {
  const of = methods.agent;
  const connection = agent({ name: AGENT.name })
    .onRequest(
      of.initialize,
      answering(({ params }) => side.initialize(params)),
    )
    .onRequest(
      of.session.new,
      answering(({ params, client }) => side.newSession(params, client)),
    )
    .onRequest(
      of.session.load,
      answering(({ params, client }) => side.loadSession(params, client)),
    )
    .onRequest(
      of.session.resume,
      answering(({ params, client }) => side.resumeSession(params, client)),
    )
    .onRequest(
      of.session.fork,
      answering(({ params, client }) => side.forkSession(params, client)),
    )
    .onRequest(
      of.session.list,
      answering(({ params }) => side.listSessions(params)),
    )
    .onRequest(
      of.session.close,
      answering(({ params }) => side.closeSession(params)),
    )
    .onRequest(
      of.session.delete,
      answering(({ params, client }) => side.deleteSession(params, client)),
    )
    .onRequest(
      of.session.setMode,
      answering(({ params }) => side.setMode(params)),
    )
    .onRequest(
      of.session.prompt,
      answering(({ params, signal }) => side.prompt(params, signal)),
    )
    .onNotification(of.session.cancel, ({ params }) => side.cancel(params))
    .connect(stream);
  return { closed: connection.closed };
}
