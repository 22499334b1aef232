import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { Machine } from '../session/machine.ts';
import { createAgentSide } from './agent_side.ts';
import { createLateClient } from './client_port.ts';
import { serve } from './server.ts';
import { openFrames, toStream } from './stream.ts';

/** Bytes to and from an agent, wherever it runs. */
export interface AgentPipes {
  toAgent: Writable;
  fromAgent: Readable;
}

const FRAME_BYTES_MAX = 32 * 1024 * 1024;

/**
 * An agent inside this process, over the same bytes as over stdio. `closed` resolves when it has
 * left and all of its sessions are free.
 */
export function startInProcess(machine: Machine): AgentPipes & { closed: Promise<void> } {
  const toAgent = new PassThrough();
  const fromAgent = new PassThrough();
  const client = createLateClient();
  const side = createAgentSide(async () => machine, client.port);
  const frames = openFrames({
    input: toAgent,
    output: fromAgent,
    frameBytesMax: FRAME_BYTES_MAX,
    drainMsMax: 1500,
    onGone: () => void side.closeAll(),
  });
  const closed = serve(toStream(frames), side, { client }).closed.then(side.closeAll);
  return { toAgent, fromAgent, closed };
}
