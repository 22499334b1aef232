import { createAgentSide } from '../acp/agent_side.ts';
import { serve } from '../acp/server.ts';
import { createFrameStream } from '../acp/stream.ts';
import { endAllGroups } from '../sandbox/group.ts';
import type { Machine } from '../session/machine.ts';

const FRAME_BYTES_MAX = 32 * 1024 * 1024;
const DRAIN_MS_MAX = 1500;

/** What the agent is started with; see `runAcp`. */
export interface AcpOptions {
  replay?: string;
  'replay-skip': string;
  record?: string;
}

/** Serves the client on stdio until it is gone and every turn has ended. */
export async function serveStdio(
  options: AcpOptions,
  answeredId: string | number | undefined,
): Promise<void> {
  const side = createAgentSide(() => loadMachine(options));
  const stream = createFrameStream({
    input: process.stdin,
    output: process.stdout,
    frameBytesMax: FRAME_BYTES_MAX,
    drainMsMax: DRAIN_MS_MAX,
    answeredId,
    onGone: () => void side.closeAll(),
  });
  const { closed } = serve(stream, side);
  await closed;
  // Whatever did not end by itself in that time ends now: nothing may outlive the agent.
  await Promise.race([side.closeAll(), new Promise((done) => setTimeout(done, 200))]);
  endAllGroups();
}

async function loadMachine(options: AcpOptions): Promise<Machine> {
  const { createMachine } = await import('../session/machine.ts');
  const here = { cwd: process.cwd(), env: process.env };
  if (options.replay !== undefined) {
    const { openReplay } = await import('./replay.ts');
    const fetch = openReplay(options.replay, here, Number(options['replay-skip']));
    return createMachine(process.env, { fetch, replay: true });
  }
  if (options.record !== undefined) {
    const { openRecorder } = await import('./replay.ts');
    return createMachine(process.env, { fetch: openRecorder(options.record, here) });
  }
  return createMachine(process.env);
}
