import { parseArgs } from 'node:util';
import { createAgentSide } from '../acp/agent_side.ts';
import { serve } from '../acp/server.ts';
import { createFrameStream } from '../acp/stream.ts';
import { endAllCommands } from '../sandbox/run.ts';
import type { Machine } from '../session/machine.ts';
import { silenceConsole } from './console.ts';

const FRAME_BYTES_MAX = 32 * 1024 * 1024;
const DRAIN_MS_MAX = 1500;

/**
 * The agent on stdio. Resolves with the exit code when the client is gone and every turn has ended.
 *
 *   --replay <dir>     answer with the model traffic of a recording instead of a real endpoint
 *   --replay-skip <n>  begin behind the first n exchanges: another process has had them
 *   --record <dir>     write the model traffic to <dir>/model.jsonl as it passes
 *   --log-level <l>    silent (default), error or debug: what of the SDK's notes goes to stderr
 */
export async function runAcp(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      replay: { type: 'string' },
      'replay-skip': { type: 'string', default: '0' },
      record: { type: 'string' },
      'log-level': { type: 'string', default: 'silent' },
    },
  });
  silenceConsole(values['log-level']);
  const side = createAgentSide(() => loadMachine(values));
  const stream = createFrameStream({
    input: process.stdin,
    output: process.stdout,
    frameBytesMax: FRAME_BYTES_MAX,
    drainMsMax: DRAIN_MS_MAX,
    onGone: () => void side.closeAll(),
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => process.stdin.destroy());
  }
  const { closed } = serve(stream, side);
  await closed;
  // Whatever did not end by itself in that time ends now: nothing may outlive the agent.
  await Promise.race([side.closeAll(), new Promise((done) => setTimeout(done, 200))]);
  endAllCommands();
  process.exit(0);
}

interface AcpOptions {
  replay?: string;
  'replay-skip': string;
  record?: string;
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
