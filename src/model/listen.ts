import type { Heard } from './failure.ts';
import { readText, toResponse } from './response.ts';

type Fetch = typeof globalThis.fetch;

/** How long an answer may be silent, before its first byte and between two, in milliseconds. */
export const SILENCE_MS_MAX = 180_000;

/** How long a connection may stay open behind the end of its answer, in milliseconds. */
const DRAIN_MS_MAX = 1000;

/** The least bytes of a piece that an answer is handed on in, but for the last. */
const PIECE_BYTES = 1024;

const NEWLINE = 0x0a;

/** The most characters of a page that are kept. */
const PAGE_LENGTH_MAX = 20_000;

/**
 * A `fetch` that notes what it hears: the library hands on neither every error body nor every
 * cause. It also ends what the library would wait for: a silence, and what follows the end.
 */
export function listen(fetch: Fetch, heard: Heard, silenceMs = SILENCE_MS_MAX): Fetch {
  return async (input, init) => {
    const silence = createSilence(silenceMs, init?.signal);
    try {
      const response = await fetch(input, { ...init, signal: silence.signal });
      const { status, headers, url } = response;
      const body = response.body as AsyncIterable<Uint8Array> | null;
      heard.contentType = headers.get('content-type') ?? undefined;
      if (!body) return response;
      const isPage = heard.contentType?.includes('text/html') ?? false;
      if (response.ok && !isPage) {
        return toResponse({ status, headers, url, body: untilDone(body, silence) });
      }
      // A body that breaks off takes nothing from what the status says.
      const text = await readText(body).catch(() => '');
      if (response.ok) heard.page = text.slice(0, PAGE_LENGTH_MAX);
      else heard.refusal = { status, text, afterMs: readRetryAfter(headers) };
      return toResponse({ status, headers, url, body: piece(text) });
    } catch (error) {
      heard.unreached = silence.broken() ?? error;
      throw error;
    } finally {
      silence.pause();
    }
  };
}

async function* piece(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

interface Silence {
  /** Aborted with the request's own signal, by `stop`, or when nothing was heard for too long. */
  signal: AbortSignal;
  /** Rejects when `signal` is aborted. */
  aborted: Promise<never>;
  /** What a silence that was too long ended with. */
  broken: () => Error | undefined;
  /** The clock starts anew. */
  begin: () => void;
  pause: () => void;
  stop: () => void;
}

function createSilence(silenceMs: number, outer: AbortSignal | null | undefined): Silence {
  const controller = new AbortController();
  const { signal } = controller;
  const follow = () => controller.abort(outer?.reason);
  if (outer?.aborted) follow();
  else outer?.addEventListener('abort', follow, { once: true });
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  let broken: Error | undefined;
  const pause = () => clearTimeout(timer);
  const begin = () => {
    pause();
    timer = setTimeout(() => {
      broken = new Error(`nothing was heard for ${silenceMs / 1000} seconds`);
      controller.abort(broken);
    }, silenceMs);
  };
  begin();
  return { signal, aborted, broken: () => broken, begin, pause, stop: () => controller.abort() };
}

/** How long a provider asks to wait, in milliseconds: `retry-after-ms`, or seconds, or a date. */
export function readRetryAfter(headers: Headers, now = Date.now()): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? NaN);
  if (ms >= 0) return ms;
  const text = headers.get('retry-after');
  if (text === null || text.trim() === '') return undefined;
  const seconds = Number(text);
  if (seconds >= 0) return seconds * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

// The body up to its `[DONE]`: some servers keep the connection open behind it.
async function* untilDone(
  body: AsyncIterable<Uint8Array>,
  silence: Silence,
): AsyncGenerator<Uint8Array> {
  const reader = body[Symbol.asyncIterator]();
  let tail = '';
  let isOver = false;
  try {
    while (!isOver) {
      silence.begin();
      const { value, done } = await Promise.race([reader.next(), silence.aborted]);
      silence.pause();
      if (done) return;
      yield* toPieces(value);
      tail = (tail + Buffer.from(value.subarray(-64)).toString('latin1')).slice(-64);
      isOver = /(?:^|[\r\n])data: ?\[DONE\]\s*$/.test(tail);
    }
    void drain(reader, silence);
  } finally {
    silence.pause();
    // Whoever leaves in the middle wants no more of it.
    if (!isOver) void reader.return?.().catch(() => {});
  }
}

// The library copies what is left of a piece once for each event in it, and what it has of an event
// once for each piece of that: short pieces, yet never a cut within a line.
function* toPieces(bytes: Uint8Array): Generator<Uint8Array> {
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(NEWLINE, start + PIECE_BYTES) + 1 || bytes.length;
    yield bytes.subarray(start, end);
    start = end;
  }
}

// A connection that is read to its end can be used again.
async function drain(reader: AsyncIterator<Uint8Array>, silence: Silence): Promise<void> {
  const late = setTimeout(silence.stop, DRAIN_MS_MAX);
  late.unref();
  try {
    while (!(await reader.next()).done);
  } catch {
    // It broke behind the end, which takes nothing from the answer.
  } finally {
    clearTimeout(late);
  }
}
