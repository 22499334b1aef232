import { expect, test } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import { readRecording, type Recording, writeRecording } from '../../src/model/recording.ts';

const HEAD = '{"origin":"authored"}';
const RESPONSE = '{"status":200,"headers":{},"chunks":["a\u2028b"]}';

test('what is written is read, and the other way round', () => {
  const recording: Recording = {
    origin: 'recorded',
    note: 'on a Tuesday',
    exchanges: [
      {
        request: { method: 'POST', path: '/v1/x', body: { b: [1, null, 'ü\u2028\n'], a: true } },
        response: { status: 429, headers: { 'retry-after': '1' }, chunks: [], end: 'reset' },
      },
      { response: { status: 200, headers: {}, chunks: ['data: 1\n\n', ''] } },
    ],
  };
  const text = writeRecording(recording);
  expect(text.split('\n').length).toBe(4);
  expect(readRecording(text, 'f')).toEqual(recording);
  expect(writeRecording(readRecording(text, 'f'))).toBe(text);
});

test('lines end at a line feed alone, and the last one may be missing', () => {
  const text = `${HEAD}\n{"response":${RESPONSE}}`;
  const [exchange] = readRecording(text, 'f').exchanges;
  expect(exchange?.response.chunks).toEqual(['a\u2028b']);
  expect(readRecording(`${text}\n`, 'f').exchanges.length).toBe(1);
});

test.each([
  ['', 'model.jsonl, line 1: the line is empty.'],
  [`${HEAD}\n\n`, 'model.jsonl, line 2: the line is empty.'],
  [`${HEAD}\n{"response":${RESPONSE}}\nnot`, 'model.jsonl, line 3: not JSON: '],
  [
    '{"origin":"dreamt"}',
    'model.jsonl, line 1: `origin`: Invalid option: expected one of "authored"|"recorded".',
  ],
  [
    `${HEAD}\n{"response":{"status":"200","headers":{},"chunks":[1]}}`,
    'model.jsonl, line 2: `response.status`: Invalid input: expected number, received string; ' +
      '`response.chunks.0`: Invalid input: expected string, received number.',
  ],
  [
    `${HEAD}\n{"response":${RESPONSE},"delayMs":5}`,
    'model.jsonl, line 2: Unrecognized key: "delayMs".',
  ],
])('%j is refused with file, line and reason', (text, message) => {
  expect(() => readRecording(text, 'model.jsonl')).toThrow(UserError);
  expect(() => readRecording(text, 'model.jsonl')).toThrow(message);
});
