import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, integer, property, string } from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { createOutputCollector } from '../../src/tools/output.ts';

let spillDirectory = '';

beforeEach(() => {
  spillDirectory = join(mkdtempSync(join(tmpdir(), 'planfold-output-')), 'spill');
});

function collector(bytesMax: number, callId = 'call_1') {
  return createOutputCollector({ bytesMax, spillDirectory, callId });
}

function collect(bytesMax: number, pieces: readonly (string | Uint8Array)[]): string {
  const output = collector(bytesMax);
  for (const piece of pieces) output.add(typeof piece === 'string' ? Buffer.from(piece) : piece);
  output.close();
  return output.text();
}

test('what fits is given whole and leaves no file', () => {
  expect(collect(10, ['01234', '56789'])).toBe('0123456789');
  expect(existsSync(spillDirectory)).toBe(false);
});

test('what does not fit is cut in the middle, and all of it is in a file', () => {
  const text = collect(10, ['01234', '56789', 'X', 'abcde']);
  const path = join(spillDirectory, 'call_1.txt');
  expect(text).toBe(`01234\n[… 6 bytes left out; the whole output is in ${path} …]\nabcde`);
  expect(readFileSync(path, 'utf8')).toBe('0123456789Xabcde');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(spillDirectory).mode & 0o777).toBe(0o700);
});

test('the text can be read while output comes', () => {
  const output = collector(4);
  output.add(Buffer.from('ab'));
  expect(output.text()).toBe('ab');
  output.add(Buffer.from('cdefgh'));
  expect(output.text()).toMatch(/^ab\n.*4 bytes.*\ngh$/);
  output.add(Buffer.from('ij'));
  expect(output.text()).toMatch(/^ab\n.*6 bytes.*\nij$/);
  output.close();
  expect(readFileSync(join(spillDirectory, 'call_1.txt'), 'utf8')).toBe('abcdefghij');
});

test('a character split over two pieces stays whole', () => {
  const bytes = Buffer.from('a€😀b');
  expect(
    collect(
      100,
      [...bytes].map((byte) => Uint8Array.of(byte)),
    ),
  ).toBe('a€😀b');
});

test('bytes that are no UTF-8 become U+FFFD, and the file has them as they came', () => {
  const pieces = [Uint8Array.of(0x61, 0xff, 0x62), Uint8Array.of(0xe2, 0x82)];
  expect(collect(100, pieces)).toBe('a\uFFFDb\uFFFD');
  const raw = Buffer.alloc(50, 0xff);
  expect(Buffer.byteLength(collect(20, [raw]).replace(/\n.*\n/, ''))).toBeLessThanOrEqual(20);
  expect(readFileSync(join(spillDirectory, 'call_1.txt'))).toEqual(raw);
});

test('no character is cut, whatever the pieces and the limit', () => {
  const pieces = array(string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 20 });
  let run = 0;
  assert(
    property(pieces, integer({ min: 2, max: 60 }), (parts, bytesMax) => {
      const whole = parts.join('');
      const output = collector(bytesMax, `call_${run++}`);
      for (const part of parts) output.add(Buffer.from(part));
      output.close();
      const size = Buffer.byteLength(whole);
      if (size <= bytesMax) return output.text() === whole;
      const [, head = '', left, tail = ''] =
        /^([^]*)\n\[… (\d+) bytes left out; .* …\]\n([^]*)$/.exec(output.text()) ?? [];
      const kept = Buffer.byteLength(head) + Buffer.byteLength(tail);
      return (
        whole.startsWith(head) &&
        whole.endsWith(tail) &&
        kept <= bytesMax &&
        kept >= bytesMax - 6 &&
        Number(left) === size - kept
      );
    }),
  );
});

test('ANSI escapes are left out, and one left open does not swallow what follows', () => {
  expect(collect(100, ['\u001B[31mred', '\u001B[', '0m'])).toBe('red');
  const link = '\u001B]8;;http://x';
  const text = collect(28, [link, 'x'.repeat(100), '\u0007the end']);
  expect(text).toMatch(/bytes left out.*\n.*the end$/);
});

test('a name that is no file name cannot lead out of the directory', () => {
  const output = collector(2, '../../etc/evil call');
  output.add(Buffer.from('abc'));
  output.close();
  expect(output.text()).toContain(join(spillDirectory, '______etc_evil_call.txt'));
  expect(existsSync(join(spillDirectory, '______etc_evil_call.txt'))).toBe(true);
});

test('a file that is there is never replaced', () => {
  mkdirSync(spillDirectory);
  writeFileSync(join(spillDirectory, 'call_1.txt'), 'earlier');
  expect(collect(2, ['abc'])).toContain(join(spillDirectory, 'call_1-2.txt'));
  expect(readFileSync(join(spillDirectory, 'call_1.txt'), 'utf8')).toBe('earlier');
  expect(readFileSync(join(spillDirectory, 'call_1-2.txt'), 'utf8')).toBe('abc');
});

test('a file that cannot be written costs the file, not the output', () => {
  writeFileSync(spillDirectory, 'a file where the directory should be');
  expect(collect(4, ['abc', 'def', 'ghi'])).toMatch(
    /^ab\n\[… 5 bytes left out; the whole output could not be saved: E[A-Z]+: .* …\]\nhi$/,
  );
});

test('an output of any size takes no more memory than the limit', () => {
  const output = collector(1000);
  const piece = Buffer.alloc(1024 * 1024, 'x');
  // Saving is out of the way, so that the test needs no disk.
  writeFileSync(spillDirectory, '');
  const before = process.memoryUsage.rss();
  for (let count = 0; count < 512; count++) output.add(piece);
  output.close();
  expect(output.text()).toContain(`${512 * 1024 * 1024 - 1000} bytes left out`);
  expect(process.memoryUsage.rss() - before).toBeLessThan(256 * 1024 * 1024);
});
