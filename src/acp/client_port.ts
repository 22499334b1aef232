import type { AgentContext } from '@agentclientprotocol/sdk/unstable';

/** The way to the client: what is told to it, and what it is asked. */
export type ClientPort = Pick<AgentContext, 'notify' | 'request'>;

/** The client of a connection that is still to be made. */
export interface LateClient {
  /** What is sent through it waits for the connection, and keeps its order. */
  port: ClientPort;
  connect: (client: ClientPort) => void;
}

/** See `LateClient`. */
export function createLateClient(): LateClient {
  let client: ClientPort | undefined;
  let connect: LateClient['connect'] = () => {};
  const connected = new Promise<ClientPort>((resolve) => {
    connect = resolve;
  });
  // Set before what has waited is sent, and nothing comes in between.
  void connected.then((made) => {
    client = made;
  });
  const through =
    (name: keyof ClientPort) =>
    (...args: unknown[]): Promise<unknown> => {
      const send = (to: ClientPort) =>
        (to[name] as (...given: unknown[]) => Promise<unknown>).apply(to, args);
      return client ? send(client) : connected.then(send);
    };
  const port = { notify: through('notify'), request: through('request') } as unknown as ClientPort;
  return { port, connect };
}
