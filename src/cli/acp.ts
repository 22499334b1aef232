import { parseArgs } from 'node:util';
import type { PrivateCache } from '../base/private_cache.ts';
import { silenceConsole } from './console.ts';
import { openMachine } from './machine.ts';
import { serveStdio } from './serve.ts';

/**
 * The agent on stdio. Ends the process when the client is gone and every turn has ended.
 *
 *   --replay <dir>     answer with the model traffic of a recording instead of a real endpoint
 *   --replay-skip <n>  begin behind the first n exchanges: another process has had them
 *   --record <dir>     make a recording of the session in <dir>, new or empty
 *   --log-level <l>    silent (default), error or debug: what of the SDK's notes goes to stderr
 */
export async function runAcp(args: string[], cache: PrivateCache): Promise<number> {
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
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => process.stdin.destroy());
  }
  process.stdout.on('error', () => process.stdin.destroy());
  // First, for the sandbox is tried out in a process of its own while the rest is loaded.
  const opened = openMachine({ ...values, cache });
  opened.catch(() => {});
  await serveStdio(opened);
  process.exit(0);
}
