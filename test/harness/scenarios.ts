import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Frame } from '../../src/acp/client.ts';
import { playScenario, type RunningAgent } from '../../src/acp/scenario.ts';
import { createNormaliser } from '../../src/cli/normalise.ts';
import { type Played, playRecording as playHere } from '../../src/cli/play.ts';
import { readModelTraffic } from '../../src/cli/replay.ts';
import { prepareScenario, readScenario } from '../../src/cli/scenario_file.ts';
import { logPath } from '../../src/log/location.ts';
import { readLog } from '../../src/log/read.ts';
import { logFiles } from '../../src/session/library.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const BINARY = join(ROOT, 'bin', 'planfold.js');

/** Where the agent of a scenario runs. */
export type Where = 'in-process' | 'stdio';

/** The folder of a recorded scenario. */
export function recordingDirectory(name: string): string {
  return join(ROOT, 'recordings', name);
}

/** Plays a recorded scenario in a copy of its workspace, against the agent at `where`. */
export async function playRecording(name: string, where: Where): Promise<Played> {
  const directory = recordingDirectory(name);
  return where === 'stdio' ? playOverStdio(directory) : playHere(directory);
}

async function playOverStdio(directory: string): Promise<Played> {
  const scenario = readScenario(directory);
  const place = prepareScenario(directory, scenario);
  const { cwd, dataDir } = place;
  const frames: Frame[] = [];
  const { sessionId, unused } = await playScenario(scenario, {
    cwd,
    start: () => startBinary({ directory, ...place }, countRequests(dataDir)),
    onFrame: (frame) => frames.push(frame),
  });
  const log = sessionId === undefined ? undefined : logPath(dataDir, cwd, sessionId);
  const { exchanges } = readModelTraffic(directory);
  return {
    ...place,
    frames,
    events: log === undefined ? [] : readLog(log),
    logPath: log,
    exchanges,
    requests: countRequests(dataDir),
    mismatch: undefined,
    unused,
    normalise: createNormaliser(place),
  };
}

interface Start {
  directory: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

function startBinary({ directory, cwd, env }: Start, skip: number): RunningAgent {
  const args = ['acp', '--replay', directory, '--replay-skip', String(skip)];
  const child = spawn(process.execPath, [BINARY, ...args], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => {});
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = () => void child.kill('SIGKILL');
  return { toAgent: child.stdin, fromAgent: child.stdout, closed, kill };
}

// The requests that were made so far, by what the logs say; a fork holds those of its parent again.
function countRequests(dataDir: string): number {
  const events = [...logFiles(dataDir).values()].flatMap(readLog);
  const steps = events.flatMap((event) => (event.type === 'step/start' ? [event.sha256] : []));
  const compactions = events.flatMap((one) =>
    one.type === 'compaction' ? [one.compactionId] : [],
  );
  return new Set([...steps, ...compactions]).size;
}
