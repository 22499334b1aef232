import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import type { LogEvent } from '../../src/log/events.ts';
import { foldState } from '../../src/log/folds.ts';
import { createLog, type SessionLog, type Sink, type Turn } from '../../src/log/log.ts';
import { readLog } from '../../src/log/read.ts';
import { createStore } from '../../src/log/store.ts';
import { answered, CREATED, EVERY_FACT, logOf, resulted, TIME } from './facts.ts';
import { canMount, fill, mountSmall, unmount } from './smallDisk.ts';

let directory: string;
let path: string;
let log: SessionLog | undefined;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-log-')));
  path = join(directory, 's.jsonl');
});
afterEach(() => {
  log?.close();
  log = undefined;
  rmSync(directory, { recursive: true });
});

function start(...sinks: Sink[]): SessionLog {
  log = createLog(CREATED, { store: createStore(path), clock: () => TIME, sinks });
  return log;
}

const typesOf = (events: readonly LogEvent[]) => events.map(({ type }) => type);
const INTENT = { type: 'mode/intent', mode: 'plan' } as const;
const STEP_START = { type: 'step/start', step: 1, headerSeq: 1, sha256: '' } as const;
const STEP_END = { type: 'step/end', step: 1 } as const;

test('a session is numbered from 1 without gaps, and its state is the fold of its file', () => {
  const running = start();
  running.record(INTENT);
  const turn = running.openTurn();
  expect(turn.append({ type: 'mode/set', mode: 'plan' })).toMatchObject({ seq: 4, time: TIME });
  turn.append(answered('Hi'));
  turn.end('end_turn');
  running.record({ type: 'knob/set', id: 'a', value: 'b' });
  running.openTurn().end('failed', 'It broke.');
  const events = readLog(path);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(events[0]).toEqual(logOf()[0]);
  expect(events[7]).toEqual({ seq: 8, time: TIME, type: 'turn/start', turn: 2 });
  expect(events[8]).toMatchObject({ turn: 2, stopReason: 'failed', error: 'It broke.' });
  expect(running.state).toEqual(foldState(events));
});

test('an event is on disk before a sink hears of it, with the state after it', () => {
  const heard: [string, number, boolean][] = [];
  const running = start((event, state) => {
    const last = readFileSync(path, 'utf8').split('\n').at(-2);
    heard.push([event.type, state.seq, last === JSON.stringify(event)]);
  });
  running.openTurn().end('end_turn');
  expect(heard).toEqual([
    ['session/created', 1, true],
    ['turn/start', 2, true],
    ['turn/end', 3, true],
  ]);
});

describe('the brackets', () => {
  test('nothing is recorded between turns while one is open', () => {
    const running = start();
    const turn = running.openTurn();
    expect(running.turnIsOpen).toBe(true);
    expect(() => running.record(INTENT)).toThrow('mode/intent cannot be recorded while a turn is');
    expect(() => running.openTurn()).toThrow('Turn 1 is still open.');
    turn.end('end_turn');
    expect(running.turnIsOpen).toBe(false);
    running.record(INTENT);
    expect(typesOf(readLog(path)).slice(1)).toEqual(['turn/start', 'turn/end', 'mode/intent']);
  });

  test('a turn that is closed takes nothing, even while another is open', () => {
    const running = start();
    const turn = running.openTurn();
    turn.end('end_turn');
    const before = readFileSync(path, 'utf8');
    const refused = () => {
      expect(() => turn.append(STEP_END)).toThrow('Turn 1 is closed; nothing can be appended.');
      expect(() => turn.end('end_turn')).toThrow('Turn 1 is closed already.');
    };
    refused();
    expect(readFileSync(path, 'utf8')).toBe(before);
    running.openTurn();
    refused();
    turn.abandon();
    expect(running.turnIsOpen).toBe(true);
  });
});

describe('a turn that was given up', () => {
  const RESULT = {
    type: 'tool/result',
    content: [{ type: 'text', text: 'This call was interrupted; the outcome is unknown.' }],
    isError: true,
  };

  const giveUp = (running: SessionLog): Turn => {
    const turn = running.openTurn();
    turn.append(STEP_START);
    turn.append(answered('', 'a', 'b', 'c'));
    turn.append(resulted('b'));
    turn.abandon();
    return turn;
  };

  test.each<[string, (running: SessionLog) => void, string]>([
    ['the next turn', (running) => void running.openTurn(), 'turn/start'],
    ['an idle record', (running) => running.record(INTENT), 'mode/intent'],
  ])('%s closes it first, as interrupted', (_, next, type) => {
    const running = start();
    const turn = giveUp(running);
    expect(() => turn.append(STEP_END)).toThrow('Turn 1 is closed');
    expect(typesOf(readLog(path)).at(-1)).toBe('tool/result');
    next(running);
    expect(readLog(path).slice(5)).toMatchObject([
      { ...RESULT, callId: 'a' },
      { ...RESULT, callId: 'c' },
      STEP_END,
      { type: 'turn/end', turn: 1, stopReason: 'interrupted' },
      { type },
    ]);
  });

  test('between two steps there is no step to close', () => {
    const running = start();
    const turn = running.openTurn();
    turn.append(STEP_START);
    turn.append(STEP_END);
    turn.abandon();
    running.record(INTENT);
    expect(typesOf(readLog(path)).slice(3)).toEqual(['step/end', 'turn/end', 'mode/intent']);
  });

  test('an approval in it is still a pending flip, and a plan stays in force', () => {
    const running = start();
    const turn = running.openTurn();
    turn.append({ type: 'mode/set', mode: 'plan' });
    turn.append({ type: 'ask', askId: 'q', kind: 'review', callId: 'c', title: 'P' });
    turn.append({ type: 'answer', askId: 'q', outcome: 'approve' });
    turn.abandon();
    expect(running.openTurn().state).toMatchObject({ mode: 'plan', pendingMode: 'default' });
  });
});

describe.skipIf(!canMount())('a disk that is full', () => {
  let disk: string;
  beforeEach(() => {
    disk = join(directory, 'disk');
    mountSmall(disk);
    path = join(disk, 's.jsonl');
  });
  afterEach(() => unmount(disk));

  test('the turn ends, the log loads, and the next turn works once there is space', () => {
    const heard: number[] = [];
    const running = start(({ seq }) => heard.push(seq));
    const turn = running.openTurn();
    turn.append(STEP_START);
    turn.append(answered('', 'a'));
    const release = fill(disk);
    const failed = fillLastBlock(turn);
    expect(failed).toBeInstanceOf(UserError);
    // The end of the turn is a longer line than the one that did not fit.
    expect(() => turn.end('failed', 'The disk is full.')).toThrow('no space is left on the device');
    expect(running.turnIsOpen).toBe(false);
    expect(() => running.record(INTENT)).toThrow('no space is left on the device');
    expect(() => running.openTurn()).toThrow('no space is left on the device');

    const kept = readLog(path);
    expect(heard).toEqual(kept.map(({ seq }) => seq));
    expect(running.state).toEqual(foldState(kept));
    expect(kept.at(-1)).toMatchObject(STEP_END);

    release();
    running.openTurn().end('end_turn');
    expect(readLog(path).slice(kept.length)).toMatchObject([
      { type: 'turn/end', turn: 1, stopReason: 'interrupted' },
      { type: 'turn/start', turn: 2 },
      { type: 'turn/end', turn: 2, stopReason: 'end_turn' },
    ]);
  });

  test('a log that cannot begin is not left behind', () => {
    const store = createStore(path);
    fill(disk);
    const parts = { store, clock: () => TIME, sinks: [] };
    expect(() => createLog(CREATED, parts)).toThrow('no space is left on the device');
    store.close();
    expect(() => readFileSync(path)).toThrow('ENOENT');
  });
});

// A file's last block has room even on a full disk; the shortest event is what takes most of it.
function fillLastBlock(turn: Turn): unknown {
  for (let lines = 0; lines < 1000; lines++) {
    try {
      turn.append(STEP_END);
    } catch (error) {
      return error;
    }
  }
  throw new Error('The disk is never full.');
}

test('every fact of a turn is taken', () => {
  const running = start();
  const sample = logOf(...EVERY_FACT);
  const turn = running.openTurn();
  for (const event of EVERY_FACT) {
    switch (event.type) {
      case 'session/created':
      case 'turn/start':
      case 'turn/end':
      case 'mode/intent':
        break;
      default:
        turn.append(event);
    }
  }
  turn.end('end_turn');
  expect(new Set(typesOf(readLog(path)))).toEqual(
    new Set(typesOf(sample).filter((type) => type !== 'mode/intent')),
  );
});
