import type { Heard } from './failure.ts';

type Fetch = typeof globalThis.fetch;

/** How long an answer may be silent, before its first byte and between two, in milliseconds. */
export const SILENCE_MS_MAX = 180_000;

/** How long a connection may stay open behind the end of its answer, in milliseconds. */
const DRAIN_MS_MAX = 1000;

/** The most characters of a page that are kept. */
const PAGE_LENGTH_MAX = 20_000;

/**
 * A `fetch` that notes what it hears: the library hands on neither every error body nor every
 * cause. It also ends what the library would wait for: a silence, and what follows the end.
 */
export function listen(fetch: Fetch, heard: Heard, silenceMs = SILENCE_MS_MAX): Fetch {
  return async (input, init) => {
    const silence = createSilence(silenceMs);
    const signals = [silence.signal, ...(init?.signal ? [init.signal] : [])];
    try {
      const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
      heard.contentType = response.headers.get('content-type') ?? undefined;
      // A body that breaks off takes nothing from what the status says.
      const readText = () =>
        response
          .clone()
          .text()
          .catch(() => '');
      if (!response.ok) {
        const afterMs = readRetryAfter(response.headers);
        heard.refusal = { status: response.status, text: await readText(), afterMs };
      } else if (heard.contentType?.includes('text/html')) {
        heard.page = (await readText()).slice(0, PAGE_LENGTH_MAX);
      }
      if (!response.body || !response.ok) return response;
      return new Response(untilDone(response.body, silence), response);
    } catch (error) {
      heard.unreached = silence.signal.aborted ? silence.signal.reason : error;
      throw error;
    } finally {
      silence.pause();
    }
  };
}

interface Silence {
  signal: AbortSignal;
  /** The clock starts anew. */
  begin: () => void;
  pause: () => void;
}

function createSilence(silenceMs: number): Silence {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const pause = () => clearTimeout(timer);
  const begin = () => {
    pause();
    const reason = new Error(`nothing was heard for ${silenceMs / 1000} seconds`);
    timer = setTimeout(() => controller.abort(reason), silenceMs);
  };
  begin();
  return { signal: controller.signal, begin, pause };
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

// The stream up to its `[DONE]`: some servers keep the connection open behind it.
function untilDone(
  source: ReadableStream<Uint8Array>,
  silence: Silence,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const aborted = new Promise<never>((_, reject) => {
    silence.signal.addEventListener('abort', () => reject(silence.signal.reason), { once: true });
  });
  aborted.catch(() => {});
  let tail = '';
  return new ReadableStream({
    async pull(controller) {
      silence.begin();
      try {
        const { value, done } = await Promise.race([reader.read(), aborted]);
        if (done) {
          controller.close();
          return;
        }
        controller.enqueue(value);
        tail = (tail + Buffer.from(value.subarray(-64)).toString('latin1')).slice(-64);
        if (!/(?:^|[\r\n])data: ?\[DONE\]\s*$/.test(tail)) return;
        controller.close();
        void drain(reader);
      } catch (error) {
        controller.error(error);
        void reader.cancel(error).catch(() => {});
      } finally {
        silence.pause();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

// A connection that is read to its end can be used again.
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const late = setTimeout(() => void reader.cancel().catch(() => {}), DRAIN_MS_MAX);
  late.unref();
  try {
    while (!(await reader.read()).done);
  } catch {
    // It broke behind the end, which takes nothing from the answer.
  } finally {
    clearTimeout(late);
  }
}
