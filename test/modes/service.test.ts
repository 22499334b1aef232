import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { LOG_VERSION, type SessionCreated } from '../../src/log/events.ts';
import { createLog, type SessionLog } from '../../src/log/log.ts';
import { createStore } from '../../src/log/store.ts';
import { toModeState } from '../../src/acp/pickers.ts';
import { resolveModes } from '../../src/modes/definitions.ts';
import { createModeService, modeSection } from '../../src/modes/service.ts';
import { canMount, fill, mountSmall, unmount } from '../log/smallDisk.ts';

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-modes-')));
});

function openLog(path: string): SessionLog {
  const created: SessionCreated = {
    type: 'session/created',
    v: LOG_VERSION,
    id: 's',
    cwd: '/project',
    additionalDirectories: [],
    agent: { name: 'planfold', version: '0' },
  };
  return createLog(created, { store: createStore(path), clock: systemClock, sinks: [] });
}

test('a mode that the configuration no longer has behaves as default, and shows so', () => {
  const log = openLog(join(directory, 'log.jsonl'));
  const before = createModeService(resolveModes({ review: { section: 'Review.' } }), log);
  before.set('review');
  const turn = log.openTurn();
  before.boundary(turn);
  turn.end('end_turn');
  const definitions = resolveModes({});
  const after = createModeService(definitions, log);
  expect(after.get().mode).toBe('review');
  expect(modeSection(definitions).text(log.state)).toBe('');
  expect(toModeState(after).currentModeId).toBe('default');
  after.set('plan');
  expect(toModeState(after).currentModeId).toBe('plan');
});

describe.runIf(canMount())('on a disk that is full', () => {
  let mounted = '';
  beforeEach(() => {
    mounted = join(directory, 'disk');
    mountSmall(mounted);
  });
  afterEach(() => unmount(mounted));

  test('an intent whose append failed stays pending, and lands when there is room', () => {
    const log = openLog(join(mounted, 'log.jsonl'));
    const modes = createModeService(resolveModes({}), log);
    const turn = log.openTurn();
    modes.set('plan');
    // The last page has room for a line yet: it is filled up with what is not looked at.
    const free = fill(mounted);
    let full = false;
    for (let line = 0; !full && line < 200; line++) {
      try {
        turn.append({ type: 'session/title', title: 'x'.repeat(20), source: 'auto' });
      } catch {
        full = true;
      }
    }
    expect(() => modes.boundary(turn)).toThrow('no space is left');
    expect(modes.get()).toEqual({ mode: 'default', pending: 'plan' });
    free();
    modes.boundary(turn);
    expect(modes.get()).toEqual({ mode: 'plan', pending: undefined });
  });
});
