import { fstatSync, readSync } from 'node:fs';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 256 * 1024;

/** A line of a file, without its newline. */
export interface Line {
  bytes: Buffer;
  /** Offset of its first byte. */
  start: number;
  /** Offset behind its newline, or the end of the file. */
  end: number;
  /** Whether it ends in a newline: otherwise its writing was never finished. */
  whole: boolean;
}

/**
 * The lines of an open file from `start` on, in order; memory holds one of them at a time. Only
 * `\n` ends a line: JSON text may hold any other separator that Unicode knows.
 */
export function* readLines(fd: number, start = 0): Generator<Line> {
  let pieces: Buffer[] = [];
  let lineStart = start;
  let position = start;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const length = readSync(fd, chunk, 0, CHUNK_BYTES, position);
    if (length === 0) break;
    let from = 0;
    for (;;) {
      const at = chunk.subarray(0, length).indexOf(NEWLINE, from);
      if (at === -1) break;
      pieces.push(chunk.subarray(from, at));
      const end = position + at + 1;
      yield { bytes: Buffer.concat(pieces), start: lineStart, end, whole: true };
      pieces = [];
      lineStart = end;
      from = at + 1;
    }
    if (from < length) pieces.push(chunk.subarray(from, length));
    position += length;
  }
  if (position > lineStart) {
    yield { bytes: Buffer.concat(pieces), start: lineStart, end: position, whole: false };
  }
}

/** The whole lines of an open file that end at or before `end`, the last one first. */
export function* readLinesBackwards(fd: number, end = fstatSync(fd).size): Generator<Line> {
  // What was read so far and lies before the last line that was given out.
  let pieces: Buffer[] = [];
  let lineEnd = end;
  let position = end;
  while (position > 0) {
    const size = Math.min(CHUNK_BYTES, position);
    position -= size;
    const chunk = Buffer.allocUnsafe(size);
    readSync(fd, chunk, 0, size, position);
    let upTo = size;
    for (;;) {
      const at = upTo === 0 ? -1 : chunk.lastIndexOf(NEWLINE, upTo - 1);
      if (at === -1) break;
      pieces.unshift(chunk.subarray(at + 1, upTo));
      const start = position + at + 1;
      if (start < end) yield toLine(pieces, start, lineEnd);
      pieces = [];
      lineEnd = start;
      upTo = at + 1;
      // The newline itself belongs to the line before: it is its end.
      pieces.unshift(chunk.subarray(at, upTo));
      upTo = at;
    }
    if (upTo > 0) pieces.unshift(chunk.subarray(0, upTo));
  }
  if (lineEnd > 0) yield toLine(pieces, 0, lineEnd);
}

function toLine(pieces: readonly Buffer[], start: number, end: number): Line {
  const bytes = Buffer.concat(pieces);
  const whole = bytes.at(-1) === NEWLINE;
  return { bytes: whole ? bytes.subarray(0, -1) : bytes, start, end, whole };
}
