import { type AgentSide, createAgentSide } from '../acp/agent_side.ts';
import { answerAhead } from '../acp/ahead.ts';
import { type ClientPort, createLateClient } from '../acp/client_port.ts';
import { openFrames, toStream } from '../acp/stream.ts';
import { once } from '../base/once.ts';
import { endAllGroups } from '../sandbox/group.ts';
import type { AcpMachine } from './machine.ts';

const FRAME_BYTES_MAX = 32 * 1024 * 1024;
const DRAIN_MS_MAX = 1500;

/** When the protocol library is loaded if nothing has asked for it by then, in milliseconds. */
const LIBRARY_MS = 50;

/**
 * Serves the client on stdio until it is gone and every turn has ended. Why there is no machine is
 * the answer to whoever opens a session.
 */
export async function serveStdio(opened: Promise<AcpMachine>): Promise<void> {
  const client = createLateClient();
  const side = await openSide(opened, client.port);
  const frames = openFrames({
    input: process.stdin,
    output: process.stdout,
    frameBytesMax: FRAME_BYTES_MAX,
    drainMsMax: DRAIN_MS_MAX,
    onGone: () => void side.closeAll(),
  });
  const loadLibrary = once(() => import('../acp/server.ts'));
  const timer = setTimeout(loadLibrary, LIBRARY_MS);
  const { hello, left } = await answerAhead(frames, side);
  clearTimeout(timer);
  const { serve } = await loadLibrary();
  await serve(toStream(frames, left), side, { client, hello }).closed;
  // Whatever did not end by itself in that time ends now: nothing may outlive the agent.
  await Promise.race([side.closeAll(), new Promise((done) => setTimeout(done, 200))]);
  endAllGroups();
}

async function openSide(opened: Promise<AcpMachine>, client: ClientPort): Promise<AgentSide> {
  const loadMachine = async () => (await opened).machine;
  const { recorder } = await opened.catch((): Partial<AcpMachine> => ({}));
  if (!recorder) return createAgentSide(loadMachine, client);
  const [{ recordSide }, { watchClient }] = await Promise.all([
    import('../acp/record_side.ts'),
    import('../acp/record_client.ts'),
  ]);
  const side = createAgentSide(loadMachine, watchClient(client, recorder.draft));
  return recordSide(side, { recorder, loadMachine });
}
