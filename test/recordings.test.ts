import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { steadyFrames } from './harness/frames.ts';
import { checkInvariants } from './harness/invariants.ts';
import {
  type Played,
  playRecording,
  recordingDirectory,
  UPDATING,
  type Where,
} from './harness/scenarios.ts';

const names = readdirSync(recordingDirectory('.'));
const places: Where[] = UPDATING ? ['in-process'] : ['in-process', 'stdio'];

describe.each(names)('%s', (name) => {
  test.each(places)('%s', async (where) => {
    const played = await playRecording(name, where);
    expectGolden(join(recordingDirectory(name), 'session.jsonl'), sessionLines(played));
    expectGolden(join(recordingDirectory(name), 'wire.jsonl'), wireLines(played));
    checkInvariants(UPDATING ? await playRecording(name, 'in-process') : played);
  });
});

function sessionLines({ events, normalise }: Played): string[] {
  return events.map((event) => normalise(JSON.stringify(event)));
}

function wireLines({ frames, normalise }: Played): string[] {
  return steadyFrames(frames).map((frame) => normalise(JSON.stringify(frame)));
}

function expectGolden(path: string, lines: string[]): void {
  if (UPDATING) {
    writeFileSync(path, `${lines.join('\n')}\n`);
    return;
  }
  expect(existsSync(path), `${path} is missing; npm run record:update writes it`).toBe(true);
  expect(lines).toEqual(readFileSync(path, 'utf8').trimEnd().split('\n'));
}
