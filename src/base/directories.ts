import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The directory of what a person has configured: under `XDG_CONFIG_HOME` (an absolute path), else
 * `~/.config`; on Windows under `APPDATA`.
 */
export function configDirectory(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string {
  return join(baseDirectory(env, platform), 'planfold');
}

function baseDirectory(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32') return env['APPDATA'] || join(homedir(), 'AppData', 'Roaming');
  const configured = env['XDG_CONFIG_HOME'] ?? '';
  return isAbsolute(configured) ? configured : join(env['HOME'] || homedir(), '.config');
}

/**
 * The directory of what can be made again: under `XDG_CACHE_HOME` (an absolute path), else the
 * platform's, which is `~/.cache` on Linux.
 */
export function cacheDirectory(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string {
  const home = env['HOME'] || homedir();
  const configured = env['XDG_CACHE_HOME'] ?? '';
  if (isAbsolute(configured)) return join(configured, 'planfold');
  return join(home, platform === 'darwin' ? 'Library/Caches' : '.cache', 'planfold');
}
