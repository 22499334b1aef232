import { messageOf } from '../base/errors.ts';
import type { PrivateCache } from '../base/private_cache.ts';

// The agent path comes first and loads nothing else: editors wait for it.
const [command = process.stdin.isTTY ? '' : 'acp', ...rest] = process.argv.slice(2);

/** Runs the command that the process was started with. `cache` is its place for keeping things. */
export async function main(cache: PrivateCache): Promise<void> {
  try {
    process.exitCode = await run(cache);
  } catch (error) {
    process.stderr.write(`planfold: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

async function run(cache: PrivateCache): Promise<number> {
  // An editor that logs in runs its own command with one word more.
  if (command === 'acp' && rest.at(-1) === 'login') {
    const { runProgram } = await import('./program.ts');
    return runProgram(['login']);
  }
  if (command === 'acp' && !rest.includes('--help')) {
    const { runAcp } = await import('./acp.ts');
    return runAcp(rest, cache);
  }
  if (command === '') {
    const { WELCOME } = await import('./help.ts');
    process.stdout.write(WELCOME);
    return 0;
  }
  const { runProgram } = await import('./program.ts');
  return runProgram([command, ...rest]);
}
