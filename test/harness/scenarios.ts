import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from '../../src/acp/client.ts';
import { startInProcess } from '../../src/acp/in_process.ts';
import { playScenario, type RunningAgent } from '../../src/acp/scenario.ts';
import { machineSubstitution } from '../../src/cli/replay.ts';
import { prepareScenario, readScenario } from '../../src/cli/scenario_file.ts';
import type { LogEvent } from '../../src/log/events.ts';
import { logPath } from '../../src/log/location.ts';
import { readLog } from '../../src/log/read.ts';
import {
  type Exchange,
  readRecording,
  type RecordedRequest,
  writeRecording,
} from '../../src/model/recording.ts';
import { replayFetch } from '../../src/model/replay.ts';
import { logFiles } from '../../src/session/library.ts';
import { createMachine } from '../../src/session/machine.ts';
import { createNormaliser } from './normalise.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const BINARY = join(ROOT, 'bin', 'planfold.js');

/** Where the agent of a scenario runs. */
export type Where = 'in-process' | 'stdio';

/** A scenario that was played: what passed, what was logged, and both as goldens keep them. */
export interface Played {
  cwd: string;
  frames: Frame[];
  events: LogEvent[];
  exchanges: readonly Exchange[];
  /** Answers that nobody asked for. */
  unused: number;
  normalise: (text: string) => string;
}

/** The folder of a recorded scenario. */
export function recordingDirectory(name: string): string {
  return join(ROOT, 'recordings', name);
}

/** Plays a recorded scenario in a copy of its workspace, against the agent at `where`. */
export async function playRecording(name: string, where: Where): Promise<Played> {
  const directory = recordingDirectory(name);
  const scenario = readScenario(directory);
  const place = prepareScenario(directory, scenario);
  const { cwd, dataDir } = place;
  const env = { ...place.env, SHELL: '/bin/sh' };
  const frames: Frame[] = [];
  const here = { directory, cwd, env };
  const { sessionId, unused } = await playScenario(scenario, {
    cwd,
    start: where === 'stdio' ? () => startBinary(here, countRequests(dataDir)) : startHere(here),
    onFrame: (frame) => frames.push(frame),
  });
  const { exchanges } = readModel(directory);
  return {
    cwd,
    frames,
    events: sessionId === undefined ? [] : readLog(logPath(dataDir, cwd, sessionId)),
    exchanges,
    unused,
    normalise: createNormaliser({ cwd, dataDir }),
  };
}

function readModel(directory: string) {
  const path = join(directory, 'model.jsonl');
  return readRecording(readFileSync(path, 'utf8'), path);
}

interface Start {
  directory: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Whether this run writes recordings and goldens anew instead of comparing with them. */
export const UPDATING = process.env['PLANFOLD_UPDATE'] === '1';

// One model for all agents of the scenario: it goes on where the last one stopped.
function startHere({ directory, cwd, env }: Start): () => RunningAgent {
  const { exchanges, ...head } = readModel(directory);
  const filled = [...exchanges];
  const fetch = replayFetch(exchanges, {
    substitution: machineSubstitution(cwd, env),
    ...(UPDATING
      ? { onRequest: (index: number, request: RecordedRequest) => fill(index, request) }
      : {}),
  });
  const fill = (index: number, request: RecordedRequest) => {
    const { response } = exchanges[index] ?? {};
    if (response) filled[index] = { request, response };
    writeFileSync(join(directory, 'model.jsonl'), writeRecording({ ...head, exchanges: filled }));
  };
  const machine = createMachine(env, { fetch, replay: true });
  return () => ({ ...startInProcess(machine), kill() {} });
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
