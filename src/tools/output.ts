import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { codeOf, messageOf } from '../base/errors.ts';
import { makePrivateDirectory } from '../base/make_directory.ts';

/** Output on its way to the model: the head and the tail of it, however much there is. */
export interface OutputCollector {
  /** Takes the next bytes, in any pieces. Never throws. */
  add: (bytes: Uint8Array) => void;
  /**
   * What has come so far, without ANSI escapes. What is over the limit is left out in the middle,
   * where one line tells how many bytes that was and in which file the whole output is.
   */
  text: () => string;
  /** No more bytes follow. */
  close: () => void;
}

/** Where an output goes and how much of it is shown. */
export interface OutputOptions {
  /** Bytes of UTF-8 that are kept for the model, half of them from the end. */
  bytesMax: number;
  /** Absolute; made when the first output that is too long needs it. */
  spillDirectory: string;
  /** Names the file. */
  callId: string;
}

/**
 * Collects the output of one call in bounded memory. Invalid UTF-8 becomes U+FFFD; once the output
 * is longer than `bytesMax`, all its bytes as they came are written to a file as well.
 */
export function createOutputCollector(options: OutputOptions): OutputCollector {
  const headMax = Math.ceil(options.bytesMax / 2);
  const tailMax = options.bytesMax - headMax;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const head = Buffer.alloc(headMax);
  const tail = createTail(tailMax);
  const spill = createSpill(options);
  let total = 0;

  const keep = (text: string) => {
    const bytes = Buffer.from(text);
    const toHead = Math.min(bytes.length, Math.max(0, headMax - total));
    bytes.copy(head, total, 0, toHead);
    tail.add(bytes.subarray(toHead));
    total += bytes.length;
    if (total > options.bytesMax) spill.open();
  };

  return {
    add(bytes) {
      spill.add(bytes);
      keep(decoder.decode(bytes, { stream: true }));
    },
    text() {
      const kept = head.subarray(0, Math.min(total, headMax));
      if (total <= options.bytesMax) return clean(Buffer.concat([kept, tail.bytes()]));
      const first = withoutCutEnd(kept);
      const last = withoutCutStart(tail.bytes());
      const left = total - first.length - last.length;
      return `${clean(first)}\n[… ${left} bytes left out; ${spill.place()} …]\n${clean(last)}`;
    },
    close() {
      keep(decoder.decode());
      spill.close();
    },
  };
}

// Head and tail are cleaned apart: an escape left open must not swallow the line between them.
function clean(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.toString());
}

function withoutCutEnd(bytes: Buffer): Buffer {
  // A streaming decoder keeps an unfinished character back.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return Buffer.from(decoder.decode(bytes, { stream: true }));
}

function withoutCutStart(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start === -1 ? bytes.subarray(bytes.length) : bytes.subarray(start);
}

// The last `max` bytes of all that was added. The buffer has twice the room, so that moving what is
// kept to the front costs little however small the pieces are.
function createTail(max: number) {
  const buffer = Buffer.alloc(max * 2);
  let used = 0;
  return {
    add(bytes: Buffer) {
      const piece = bytes.subarray(Math.max(0, bytes.length - max));
      if (used + piece.length > buffer.length) {
        buffer.copy(buffer, 0, used - max, used);
        used = max;
      }
      used += piece.copy(buffer, used);
    },
    bytes: () => buffer.subarray(Math.max(0, used - max), used),
  };
}

// The file with the whole output. Until it is needed, the bytes wait in memory.
function createSpill({ spillDirectory, callId }: OutputOptions) {
  let waiting: Uint8Array[] = [];
  let file: { fd: number; path: string } | undefined;
  let failure: string | undefined;

  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      // A full disk costs the whole output, never the call.
      failure = messageOf(error);
    }
  };

  return {
    add(bytes: Uint8Array) {
      if (failure !== undefined) return;
      if (file === undefined) waiting.push(Uint8Array.from(bytes));
      else attempt(() => file && writeFileSync(file.fd, bytes));
    },
    open() {
      if (file !== undefined || failure !== undefined) return;
      const bytes = Buffer.concat(waiting);
      waiting = [];
      attempt(() => {
        file = openNew(spillDirectory, callId);
        writeFileSync(file.fd, bytes);
      });
    },
    place: () =>
      failure === undefined
        ? `the whole output is in ${file?.path}`
        : `the whole output could not be saved: ${failure}`,
    close() {
      waiting = [];
      attempt(() => file && closeSync(file.fd));
    },
  };
}

// Some models number their calls anew each turn; a file that the log speaks of is never replaced.
function openNew(directory: string, callId: string): { fd: number; path: string } {
  makePrivateDirectory(directory);
  const name = callId.replace(/[^\w-]/g, '_').slice(0, 100) || 'call';
  for (let copy = 1; ; copy++) {
    const path = join(directory, `${name}${copy === 1 ? '' : `-${copy}`}.txt`);
    try {
      return { fd: openSync(path, 'wx', 0o600), path };
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}
