import { type ChildProcess, spawn } from 'node:child_process';

/** Runs `script` over and over in another process, while `during` works. */
export async function whileFlipping(
  { cwd, script }: { cwd: string; script: string },
  during: () => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, ['-e', `${HEAD} for (;;) { ${script} }`], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await during();
  } finally {
    await end(child);
  }
}

// Names are changed at every moment, and what fails then is tried again.
const HEAD = `
  const fs = require('fs');
  const attempt = (name, ...args) => { try { return fs[name](...args) } catch {} };
  const rename = (...args) => attempt('renameSync', ...args);
  fs.writeSync(1, 'ready');
`;

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
