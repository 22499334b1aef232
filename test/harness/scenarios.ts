import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame } from '../../src/acp/client.ts';
import { type AgentPipes, startInProcess } from '../../src/acp/in_process.ts';
import { playScenario } from '../../src/acp/scenario.ts';
import { machineSubstitution } from '../../src/cli/replay.ts';
import { readScenario } from '../../src/cli/scenario_file.ts';
import type { LogEvent } from '../../src/log/events.ts';
import { logPath } from '../../src/log/location.ts';
import { readLog } from '../../src/log/read.ts';
import { type Exchange, readRecording } from '../../src/model/recording.ts';
import { replayFetch } from '../../src/model/replay.ts';
import { createMachine } from '../../src/session/machine.ts';
import { createNormaliser } from './normalise.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

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
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-scenario-')));
  const cwd = join(home, 'workspace');
  cpSync(join(directory, 'workspace'), cwd, { recursive: true });
  const dataDir = join(home, 'data');
  const env = {
    ...process.env,
    SHELL: '/bin/sh',
    PLANFOLD_HOME: dataDir,
    XDG_CONFIG_HOME: join(home, 'config'),
  };
  const frames: Frame[] = [];
  const start = where === 'stdio' ? startBinary : startHere;
  const agent = start({ directory, cwd, env });
  const { sessionId, unused } = await playScenario(agent, readScenario(directory), {
    cwd,
    onFrame: (frame) => frames.push(frame),
  });
  await agent.closed;
  const { exchanges } = readModel(directory);
  return {
    cwd,
    frames,
    events: sessionId === undefined ? [] : readLog(logPath(dataDir, cwd, sessionId)),
    exchanges,
    unused,
    normalise: createNormaliser({ cwd, dataDir, sessionId }),
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

function startHere({ directory, cwd, env }: Start): AgentPipes & { closed: Promise<void> } {
  const { origin, note, exchanges } = readModel(directory);
  const requests: unknown[] = [];
  const fetch = replayFetch(exchanges, {
    substitution: machineSubstitution(cwd, env),
    ...(UPDATING
      ? { onRequest: (index: number, request: unknown) => (requests[index] = request) }
      : {}),
  });
  const agent = startInProcess(createMachine(env, { fetch, replay: true }));
  const written = agent.closed.then(() => {
    if (!UPDATING) return;
    const lines = exchanges.map(({ response }, index) => ({ request: requests[index], response }));
    const text = [{ origin, ...(note ? { note } : {}) }, ...lines].map((line) =>
      JSON.stringify(line),
    );
    writeFileSync(join(directory, 'model.jsonl'), `${text.join('\n')}\n`);
  });
  return { ...agent, closed: written };
}

function startBinary({ directory, cwd, env }: Start): AgentPipes & { closed: Promise<void> } {
  const binary = join(ROOT, 'bin', 'planfold.js');
  const child = spawn(process.execPath, [binary, 'acp', '--replay', directory], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return { toAgent: child.stdin, fromAgent: child.stdout, closed };
}
