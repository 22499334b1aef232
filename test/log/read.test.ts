import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import type { Fact, LogEvent } from '../../src/log/events.ts';
import { readLog } from '../../src/log/read.ts';
import { eventTypes } from '../../src/log/schema.ts';
import { createStore } from '../../src/log/store.ts';
import { EVERY_FACT, logOf, TIME } from './facts.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-read-')));
  path = join(directory, 's.jsonl');
});
afterEach(() => rmSync(directory, { recursive: true }));

function writeLines(...lines: (string | object)[]): void {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(path, texts.map((text) => `${text}\n`).join(''));
}

function roundTrip(events: readonly LogEvent[]): LogEvent[] {
  const store = createStore(path);
  for (const event of events) store.append(event);
  store.close();
  return readLog(path);
}

test('every event that a log can hold is read as it was written', () => {
  const events = logOf(...EVERY_FACT);
  expect(new Set(events.map(({ type }) => type))).toEqual(eventTypes());
  expect(roundTrip(events)).toEqual(events);
});

test.each([
  ['the separators of Unicode', 'a\u2028b\u2029c\u0085d\r\ne\rf\vg\fh'],
  ['NUL and other controls', '\0\u0001\u001B[31m\u007F'],
  ['half a surrogate pair', '\uD83D and \uDE00, \uDE00\uD83D'],
  ['a byte order mark', '\uFEFFa\uFEFF'],
  ['astral characters', '\u{1F600}\u{10FFFF}'],
  ['a name with a meaning of its own', '__proto__'],
])('%s come through', (_, text) => {
  const events = logOf(
    { type: 'session/title', title: text, source: 'user' },
    { type: 'knob/set', id: text, value: text },
    { type: 'tool/call', callId: 'c', name: 'f', input: { text: [text] } },
  );
  expect(roundTrip(events)).toEqual(events);
});

test('a line that is longer than any buffer comes through', () => {
  const title = 'ü\u{1F600}'.repeat(300_000);
  const events = logOf({ type: 'session/title', title, source: 'auto' });
  const [, read] = roundTrip(events);
  // A comparison that fails would print megabytes.
  expect(read?.type === 'session/title' && read.title === title).toBe(true);
});

const [CREATED_LINE] = logOf();
const lineOf = (seq: number, fact: Fact) => ({ seq, time: TIME, ...fact });
const turn = (seq: number) => lineOf(seq, { type: 'turn/start', turn: 1 });

describe('what is refused', () => {
  test.each<[string, (string | object)[], number, string]>([
    ['a damaged line', ['{"seq":2,"ti', turn(3)], 2, 'not JSON'],
    ['an empty line', ['', turn(3)], 2, 'not JSON'],
    ['NUL bytes', ['\0\0\0\0', turn(3)], 2, 'not JSON'],
    ['a number', ['2', turn(3)], 2, 'unknown event type undefined'],
    ['null', ['null', turn(3)], 2, 'unknown event type undefined'],
    ['an unknown type', [{ ...turn(2), type: 'turn/pause' }], 2, 'unknown event type "turn/pause"'],
    ['a type from the prototype', [{ ...turn(2), type: 'toString' }], 2, 'event type "toString"'],
    [
      'a missing field',
      [{ seq: 2, time: TIME, type: 'turn/start' }],
      2,
      'turn/start does not fit: turn: ',
    ],
    ['a field too many', [{ ...turn(2), color: 'red' }], 2, 'turn/start does not fit: '],
    ['a field of another type', [{ ...turn(2), turn: '1' }], 2, 'turn/start does not fit: turn: '],
    [
      'an answer of no known outcome',
      [{ seq: 2, time: TIME, type: 'answer', askId: 'q', outcome: 'maybe' }],
      2,
      'answer does not fit: outcome: ',
    ],
    ['a time that is none', [{ ...turn(2), time: 'noon' }], 2, 'turn/start does not fit: time: '],
    ['a gap', [turn(2), turn(4)], 3, 'seq is 4, expected 3.'],
    ['a line twice', [turn(2), turn(2)], 3, 'seq is 2, expected 3.'],
    ['another session in it', [{ ...CREATED_LINE, seq: 2 }], 2, 'session/created'],
  ])('%s', (...[, lines, line, reason]) => {
    writeLines(CREATED_LINE ?? '', ...lines);
    expect(() => readLog(path)).toThrow(UserError);
    expect(() => readLog(path)).toThrow(`${path}, line ${line}: `);
    expect(() => readLog(path)).toThrow(reason);
  });

  test('a newer format, for its version, whatever else it holds', () => {
    writeLines({ ...CREATED_LINE, v: 2, news: true });
    expect(() => readLog(path)).toThrow(
      `${path}, line 1: log format 2; this Planfold reads up to 1.`,
    );
  });

  test('a log that does not begin with line 1', () => {
    writeLines(turn(1));
    expect(() => readLog(path)).toThrow(`${path}, line 1: turn/start`);
  });

  test('a file that is not there, with its name', () => {
    expect(() => readLog(path)).toThrow(path);
  });
});

describe('what a crash left of the last line', () => {
  test.each(['{"seq":3,"ti', '{"seq":3', '\0\0\0', '{"seq":3,"title":"\uD83D'])(
    'is not among the events: %j',
    (half) => {
      writeLines(CREATED_LINE ?? '', turn(2));
      writeFileSync(path, half, { flag: 'a' });
      expect(readLog(path).map(({ seq }) => seq)).toEqual([1, 2]);
    },
  );

  test('nor is a line of which only the newline is missing', () => {
    writeLines(CREATED_LINE ?? '');
    writeFileSync(path, JSON.stringify(turn(2)), { flag: 'a' });
    expect(readLog(path).map(({ seq }) => seq)).toEqual([1]);
  });

  test('a whole last line that is no event is damage', () => {
    writeLines(CREATED_LINE ?? '', { ...turn(2), type: 'turn/pause' });
    expect(() => readLog(path)).toThrow('line 2: unknown event type "turn/pause"');
  });
});
