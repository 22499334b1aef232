import type { Exchange, RecordedRequest } from './recording.ts';

/** What of a response's headers a replay needs. */
const HEADERS_KEPT = new Set(['content-type', 'retry-after']);

/** What a `fetch` is asked for, as a recording has it; authentication is left out. */
export function toRecordedRequest(
  input: string | URL | Request,
  init?: RequestInit,
): RecordedRequest {
  const url = new URL(input instanceof Request ? input.url : input);
  const body = typeof init?.body === 'string' ? JSON.parse(init.body) : null;
  return { method: init?.method ?? 'GET', path: url.pathname, body };
}

/**
 * A `fetch` that passes everything through, and tells `onExchange` of each exchange once its
 * response has ended, was aborted (then it hangs in the recording, with what came so far) or broke
 * off. The response is not held back. A request that reached nobody leaves no exchange.
 */
export function recordFetch(
  fetch: typeof globalThis.fetch,
  onExchange: (exchange: Exchange) => void,
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = toRecordedRequest(input, init);
    const signal = init?.signal ?? undefined;
    let response: Response;
    try {
      response = await fetch(input, init);
    } catch (error) {
      if (signal?.aborted) onExchange({ request, response: UNANSWERED });
      throw error;
    }
    const { status } = response;
    const headers = Object.fromEntries(
      [...response.headers].filter(([name]) => HEADERS_KEPT.has(name)),
    );
    const tell = (chunks: string[], end?: End) =>
      onExchange({ request, response: { status, headers, chunks, ...(end ? { end } : {}) } });
    if (response.body) return new Response(copyStream(response.body, { signal, tell }), response);
    tell([]);
    return response;
  };
}

type End = NonNullable<Exchange['response']['end']>;

// An abort before the first byte: nobody knows what the status would have been.
const UNANSWERED: Exchange['response'] = {
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  chunks: [],
  end: 'hang',
};

function copyStream(
  source: ReadableStream<Uint8Array>,
  {
    signal,
    tell,
  }: { signal: AbortSignal | undefined; tell: (chunks: string[], end?: End) => void },
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const chunks: string[] = [];
  let ended = false;
  const finish = (end?: End) => {
    if (ended) return;
    ended = true;
    // What is left of a character that was cut in two.
    const rest = decoder.decode();
    if (rest !== '') chunks.push(rest);
    tell(chunks, end);
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (done) {
          finish();
          controller.close();
          return;
        }
        // The bytes of a character may come in two pieces; its text then stands in the second.
        const text = decoder.decode(value, { stream: true });
        if (text !== '') chunks.push(text);
        controller.enqueue(value);
      } catch (error) {
        finish(signal?.aborted ? 'hang' : 'reset');
        controller.error(error);
      }
    },
    cancel(reason) {
      finish('hang');
      return reader.cancel(reason);
    },
  });
}
