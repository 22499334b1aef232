import { Readable, Writable } from 'node:stream';
import {
  type AnyMessage,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  ndJsonStream,
  type ReadTextFileRequest,
  type ReadTextFileResponse,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type WriteTextFileRequest,
  type WriteTextFileResponse,
} from '@agentclientprotocol/sdk/unstable';
import type { AgentPipes } from './in_process.ts';

/** A frame that passed between a client and the agent. */
export interface Frame {
  from: 'client' | 'agent';
  message: AnyMessage;
}

/** How a client answers what the agent asks. A handler that throws answers with an error. */
export interface ClientAnswers {
  elicitation: (request: CreateElicitationRequest) => Promise<CreateElicitationResponse>;
  permission: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
  /** The text of a file as the person has it before them. Asked by agents that were told of it. */
  readTextFile?: (request: ReadTextFileRequest) => Promise<ReadTextFileResponse>;
  writeTextFile?: (request: WriteTextFileRequest) => Promise<WriteTextFileResponse>;
}

/** A client that is connected to an agent. */
export interface ConnectedClient {
  context: ClientContext;
  close: () => void;
}

/** Connects the SDK's own client to an agent; `onFrame` hears of every frame in its order. */
export function connectClient(
  { toAgent, fromAgent }: AgentPipes,
  answers: ClientAnswers,
  onFrame: (frame: Frame) => void,
): ConnectedClient {
  const pipes = ndJsonStream(
    Writable.toWeb(toAgent),
    Readable.toWeb(fromAgent) as ReadableStream<Uint8Array>,
  );
  const outgoing = tap((message) => onFrame({ from: 'client', message }));
  const incoming = tap((message) => onFrame({ from: 'agent', message }));
  void outgoing.readable.pipeTo(pipes.writable).catch(() => {});
  const connection = client({ name: 'planfold-client' })
    .onRequest(methods.client.elicitation.create, ({ params }) => answers.elicitation(params))
    .onRequest(methods.client.session.requestPermission, ({ params }) => answers.permission(params))
    .onRequest(methods.client.fs.readTextFile, ({ params }) =>
      (answers.readTextFile ?? noFiles)(params),
    )
    .onRequest(methods.client.fs.writeTextFile, ({ params }) =>
      (answers.writeTextFile ?? noFiles)(params),
    )
    .onNotification(methods.client.session.update, () => {})
    .connect({ readable: pipes.readable.pipeThrough(incoming), writable: outgoing.writable });
  return {
    context: connection.agent,
    close() {
      toAgent.end();
    },
  };
}

async function noFiles(): Promise<never> {
  throw RequestError.internalError(undefined, 'this client has no files');
}

function tap(see: (message: AnyMessage) => void): TransformStream<AnyMessage, AnyMessage> {
  return new TransformStream({
    transform(message, controller) {
      see(message);
      controller.enqueue(message);
    },
  });
}
