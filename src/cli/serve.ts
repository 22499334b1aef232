import { type AgentSide, createAgentSide } from '../acp/agent_side.ts';
import type { Hello } from '../acp/hello.ts';
import { serve } from '../acp/server.ts';
import { createFrameStream } from '../acp/stream.ts';
import { endAllGroups } from '../sandbox/group.ts';
import type { AcpMachine } from './machine.ts';

const FRAME_BYTES_MAX = 32 * 1024 * 1024;
const DRAIN_MS_MAX = 1500;

/**
 * Serves the client on stdio until it is gone and every turn has ended. Why there is no machine is
 * the answer to whoever opens a session. `hello` as in `serve`.
 */
export async function serveStdio(
  opened: Promise<AcpMachine>,
  hello: Hello | undefined,
): Promise<void> {
  const side = await openSide(opened);
  const stream = createFrameStream({
    input: process.stdin,
    output: process.stdout,
    frameBytesMax: FRAME_BYTES_MAX,
    drainMsMax: DRAIN_MS_MAX,
    onGone: () => void side.closeAll(),
  });
  const { closed } = serve(stream, side, hello);
  await closed;
  // Whatever did not end by itself in that time ends now: nothing may outlive the agent.
  await Promise.race([side.closeAll(), new Promise((done) => setTimeout(done, 200))]);
  endAllGroups();
}

async function openSide(opened: Promise<AcpMachine>): Promise<AgentSide> {
  const loadMachine = async () => (await opened).machine;
  const side = createAgentSide(loadMachine);
  const { recorder } = await opened.catch((): Partial<AcpMachine> => ({}));
  if (!recorder) return side;
  const { recordSide } = await import('../acp/record_side.ts');
  return recordSide(side, { recorder, loadMachine });
}
