import type { Exchange, RecordedRequest } from './recording.ts';

/** What of a response's headers a replay needs. */
const HEADERS_KEPT = new Set(['content-type', 'retry-after']);

/** What a `fetch` is asked for, as a recording has it; authentication is left out. */
export function toRecordedRequest(input: string | URL | Request, init?: RequestInit): RecordedRequest {
  const url = new URL(input instanceof Request ? input.url : input);
  const body = typeof init?.body === 'string' ? JSON.parse(init.body) : null;
  return { method: init?.method ?? 'GET', path: url.pathname, body };
}

/**
 * A `fetch` that passes everything through, and tells `onExchange` of each exchange once its response
 * has ended, was aborted or broke off. The response is not held back.
 */
export function recordFetch(
  fetch: typeof globalThis.fetch,
  onExchange: (exchange: Exchange) => void,
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = toRecordedRequest(input, init);
    const response = await fetch(input, init);
    const headers = Object.fromEntries(
      [...response.headers].filter(([name]) => HEADERS_KEPT.has(name)),
    );
    const chunks: string[] = [];
    let told = false;
    const tell = (end?: 'reset') => {
      if (!told) {
        onExchange({
          request,
          response: { status: response.status, headers, chunks, ...(end ? { end } : {}) },
        });
      }
      told = true;
    };
    const body = response.body && copyStream(response.body, chunks, tell);
    return new Response(body, response);
  };
}

function copyStream(
  source: ReadableStream<Uint8Array>,
  chunks: string[],
  tell: (end?: 'reset') => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (done) {
          tell();
          controller.close();
          return;
        }
        chunks.push(decoder.decode(value, { stream: true }));
        controller.enqueue(value);
      } catch (error) {
        tell('reset');
        controller.error(error);
      }
    },
    cancel(reason) {
      tell();
      return reader.cancel(reason);
    },
  });
}
