import type { SessionRecorder } from '../acp/record_side.ts';
import type { PrivateCache } from '../base/private_cache.ts';
import { createMachine, type Machine } from '../session/machine.ts';

/** What the agent is started with; see `runAcp`. */
export interface AcpOptions {
  replay?: string;
  'replay-skip': string;
  record?: string;
  cache: PrivateCache;
}

/** The machine of an agent, and who records its session. */
export interface AcpMachine {
  machine: Machine;
  recorder?: SessionRecorder;
}

/** Opens the machine, its model traffic replayed or recorded where that is asked for. */
export async function openMachine(options: AcpOptions): Promise<AcpMachine> {
  const { replay, 'replay-skip': skip, record, cache } = options;
  if (replay !== undefined) {
    const { openReplay } = await import('./replay.ts');
    const here = { cwd: process.cwd(), env: process.env };
    const fetch = openReplay(replay, here, Number(skip));
    return { machine: createMachine(process.env, { fetch, replay: true, cache }) };
  }
  if (record !== undefined) {
    const { createRecorder } = await import('./recorder.ts');
    const recorder = createRecorder(record, process.env);
    return { machine: createMachine(process.env, { fetch: recorder.fetch, cache }), recorder };
  }
  return { machine: createMachine(process.env, { cache }) };
}
