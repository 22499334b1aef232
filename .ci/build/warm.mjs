import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Opens a session once, so that the code of an agent is kept before anybody waits for it. */
export function warm() {
  const home = mkdtempSync(join(tmpdir(), 'planfold-warm-'));
  const frames = [
    { id: 1, method: 'initialize', params: { protocolVersion: 1 } },
    { id: 2, method: 'session/new', params: { cwd: home, mcpServers: [] } },
  ];
  execFileSync(process.execPath, ['bin/planfold.js', 'acp'], {
    input: frames.map((frame) => `${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`).join(''),
    env: { PATH: process.env.PATH, HOME: home },
  });
  rmSync(home, { recursive: true });
}
