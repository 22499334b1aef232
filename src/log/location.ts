import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Planfold's data directory: `PLANFOLD_HOME`, else the platform's (`XDG_DATA_HOME` on Linux).
 * Session logs live in `sessions/` below it.
 */
export function dataDirectory(env: NodeJS.ProcessEnv): string {
  if (env['PLANFOLD_HOME']) return env['PLANFOLD_HOME'];
  const home = env['HOME'] || homedir();
  switch (process.platform) {
    case 'win32':
      return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'planfold');
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'planfold');
    default:
      return join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'planfold');
  }
}

/** The folder of one working directory's sessions: readable, and unique through a digest. */
export function sessionsDirectory(dataDir: string, cwd: string): string {
  const readable = cwd
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(-60);
  const digest = createHash('sha256').update(cwd).digest('hex').slice(0, 8);
  return join(dataDir, 'sessions', `${readable || 'root'}-${digest}`);
}

/** The log file of a session. */
export function logPath(dataDir: string, cwd: string, sessionId: string): string {
  return join(sessionsDirectory(dataDir, cwd), `${sessionId}.jsonl`);
}

/** Where a session keeps outputs that are too long for the conversation, beside its log. */
export function spillDirectory(path: string): string {
  return `${path.replace(/\.jsonl$/, '')}.outputs`;
}
