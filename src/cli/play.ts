import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from '../acp/client.ts';
import { steadyFrames } from '../acp/frames.ts';
import { startInProcess } from '../acp/in_process.ts';
import { playScenario } from '../acp/scenario.ts';
import { messageOf, UserError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { LogEvent } from '../log/events.ts';
import { logPath } from '../log/location.ts';
import { readLog } from '../log/read.ts';
import type { Exchange, RecordedRequest, Recording } from '../model/recording.ts';
import { writeRecording } from '../model/recording.ts';
import { replayFetch } from '../model/replay.ts';
import { createMachine, type Machine } from '../session/machine.ts';
import { createNormaliser } from './normalise.ts';
import { machineSubstitution, readModelTraffic } from './replay.ts';
import {
  prepareScenario,
  readScenario,
  type ScenarioFile,
  type ScenarioPlace,
} from './scenario_file.ts';

/** A scenario that was played: what passed, what was logged, and both as goldens keep them. */
export interface Played extends ScenarioPlace {
  frames: Frame[];
  events: LogEvent[];
  /** The log of the session that was worked in last, if there is one. */
  logPath: string | undefined;
  exchanges: readonly Exchange[];
  /** How many of them were asked for. */
  requests: number;
  /** Answers that nobody asked for, and moments that did not come. */
  unused: number;
  /** What the first request that differs has, and the recorded one. */
  mismatch: string | undefined;
  normalise: (text: string) => string;
}

/**
 * Plays the recording in `directory` in this process, in a copy of its workspace. `updating` takes
 * every request as it comes and writes it to the recording. Throws `UserError` for a recording that
 * cannot be read.
 */
export async function playRecording(directory: string, updating = false): Promise<Played> {
  const scenario = readScenario(directory);
  const place = prepareScenario(directory, scenario);
  const model = openModel(directory, place, updating);
  const machine = createMachine(place.env, { fetch: model.fetch, replay: true });
  await checkSandbox(scenario, machine);
  const frames: Frame[] = [];
  const { sessionId, unused } = await playScenario(scenario, {
    cwd: place.cwd,
    start: () => ({ ...startInProcess(machine), kill() {} }),
    onFrame: (frame) => frames.push(frame),
    onDelivered: model.onDelivered,
  });
  const log = sessionId === undefined ? undefined : logPath(place.dataDir, place.cwd, sessionId);
  return {
    ...place,
    frames,
    events: log !== undefined && existsSync(log) ? readLog(log) : [],
    logPath: log,
    unused,
    ...model.played(),
    normalise: createNormaliser(place),
  };
}

// Commands that were confined ran without asking; where nothing confines, they would ask.
async function checkSandbox({ config }: ScenarioFile, machine: Machine): Promise<void> {
  const { sandbox } = config;
  if (!isObject(sandbox) || sandbox['backend'] !== 'auto') return;
  const found = await machine.sandbox();
  if (!('problem' in found)) return;
  throw new UserError(`It was recorded in a sandbox, and none works here: ${found.problem}`);
}

// One model for all agents of the scenario: it goes on where the last one stopped.
function openModel(directory: string, { cwd, env }: ScenarioPlace, updating: boolean) {
  const { exchanges, ...head } = readModelTraffic(directory);
  let filled: Recording = { ...head, exchanges };
  let requests = 0;
  let mismatch: string | undefined;
  let listener: (exchange: number) => Promise<void> = async () => {};
  const fill = (index: number, request: RecordedRequest) => {
    filled = {
      ...filled,
      exchanges: filled.exchanges.map((one, at) => (at === index ? { ...one, request } : one)),
    };
    writeFileSync(join(directory, 'model.jsonl'), writeRecording(filled));
  };
  const replay = replayFetch(exchanges, {
    substitution: machineSubstitution(cwd, env),
    onDelivered: (number) => listener(number),
    ...(updating ? { onRequest: fill } : {}),
  });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests += 1;
    try {
      return await replay(input, init);
    } catch (error) {
      mismatch ??= messageOf(error);
      throw error;
    }
  };
  return {
    fetch,
    onDelivered(to: typeof listener) {
      listener = to;
    },
    played: () => ({ exchanges: filled.exchanges, requests, mismatch }),
  };
}

/** The goldens of a recording by the names of their files, a text a line. */
export function goldensOf({ events, frames, normalise }: Played): Map<string, string[]> {
  // The log is numbered first: what the wire says besides takes the numbers behind it.
  const session = events.map((event) => normalise(JSON.stringify(event)));
  const wire = steadyFrames(frames).map((frame) => normalise(JSON.stringify(frame)));
  return new Map([
    ['session.jsonl', session],
    ['wire.jsonl', wire],
  ]);
}

/** The lines of a golden; undefined where there is none. */
export function readGolden(directory: string, file: string): string[] | undefined {
  const path = join(directory, file);
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : undefined;
}
