import { type AgentSide, createAgentSide } from '../acp/agent_side.ts';
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
  const side = await openSide(options);
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

async function openSide(options: AcpOptions): Promise<AgentSide> {
  const { record } = options;
  if (record === undefined) return createAgentSide(() => loadMachine(options));
  const [{ createRecorder }, { recordSide }, { createMachine }] = await Promise.all([
    import('./recorder.ts'),
    import('../acp/record_side.ts'),
    import('../session/machine.ts'),
  ]);
  try {
    const recorder = createRecorder(record, process.env);
    const machine = createMachine(process.env, { fetch: recorder.fetch });
    const loadRecorded = async () => machine;
    return recordSide(createAgentSide(loadRecorded), { recorder, loadMachine: loadRecorded });
  } catch (error) {
    // The editor hears of it when it opens a session.
    return createAgentSide(() => Promise.reject(error));
  }
}

async function loadMachine({ replay, 'replay-skip': skip }: AcpOptions): Promise<Machine> {
  const { createMachine } = await import('../session/machine.ts');
  if (replay === undefined) return createMachine(process.env);
  const { openReplay } = await import('./replay.ts');
  const here = { cwd: process.cwd(), env: process.env };
  const fetch = openReplay(replay, here, Number(skip));
  return createMachine(process.env, { fetch, replay: true });
}
