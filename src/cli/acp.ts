import { parseArgs } from 'node:util';
import { sayHello } from '../acp/hello.ts';
import { silenceConsole } from './console.ts';

/**
 * The agent on stdio. Ends the process when the client is gone and every turn has ended.
 *
 *   --replay <dir>     answer with the model traffic of a recording instead of a real endpoint
 *   --replay-skip <n>  begin behind the first n exchanges: another process has had them
 *   --record <dir>     make a recording of the session in <dir>, new or empty
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
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => process.stdin.destroy());
  }
  process.stdout.on('error', () => process.stdin.destroy());
  const hello = sayHello(await peekLine());
  if (hello) process.stdout.write(hello.frame);
  const { serveStdio } = await import('./serve.ts');
  await serveStdio(values, hello?.id);
  process.exit(0);
}

/** The first line of stdin if it came in one piece, else nothing. All of it stays to be read. */
async function peekLine(): Promise<string> {
  const { stdin } = process;
  await new Promise<void>((resolve) => {
    for (const event of ['readable', 'end', 'close', 'error']) stdin.once(event, () => resolve());
  });
  const bytes: Buffer | null = stdin.read();
  if (bytes === null) return '';
  stdin.unshift(bytes);
  const end = bytes.indexOf('\n');
  return end === -1 ? '' : bytes.toString('utf8', 0, end);
}
