import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { goldensOf, readGolden } from '../src/cli/play.ts';
import { checkInvariants } from './harness/invariants.ts';
import { playRecording, recordingDirectory, type Where } from './harness/scenarios.ts';

const names = readdirSync(recordingDirectory('.'));
const places: Where[] = ['in-process', 'stdio'];

describe.each(names)('%s', (name) => {
  test.each(places)('%s', async (where) => {
    const played = await playRecording(name, where);
    for (const [file, lines] of goldensOf(played)) {
      const golden = readGolden(recordingDirectory(name), file);
      expect(golden, `${file} is missing; npm run record:update writes it`).toBeDefined();
      expect(lines).toEqual(golden);
    }
    checkInvariants(played);
  });
});
