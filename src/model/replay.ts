import { UserError } from '../base/errors.ts';
import { isObject, sameJson } from '../base/json.ts';
import { toRecordedRequest } from './record.ts';
import type { Exchange, RecordedRequest } from './recording.ts';
import { describeDifference } from './difference.ts';
import type { Substitution } from './substitution.ts';

/** How exchanges are replayed. */
export interface ReplayOptions {
  substitution: Substitution;
  /**
   * Hears of every request as a recording would hold it, and makes the replay accept any: for
   * filling requests in. Without it, a request that differs from the recorded one fails.
   */
  onRequest?: (index: number, request: RecordedRequest) => void;
  /** Is waited for when all that was recorded of an answer has come, before its end. From 1. */
  onDelivered?: (number: number) => Promise<void>;
}

/** A `fetch` that answers from a recording, in order. Throws `UserError` naming what differs. */
export function replayFetch(
  exchanges: readonly Exchange[],
  { substitution, onRequest, onDelivered }: ReplayOptions,
): typeof globalThis.fetch {
  let index = 0;
  return async (input, init) => {
    const number = ++index;
    const exchange = exchanges[number - 1];
    const text = JSON.stringify(toRecordedRequest(input, init));
    const request: RecordedRequest = JSON.parse(substitution.toRecorded(text));
    if (!exchange) {
      throw new UserError(
        `Request ${number} is not in the recording, which ends after ${exchanges.length}.`,
      );
    }
    if (onRequest) onRequest(number - 1, request);
    else checkRequest(number, request, exchange.request);
    return toResponse(exchange.response, {
      substitution,
      signal: init?.signal ?? undefined,
      onDelivered: async () => onDelivered?.(number),
    });
  };
}

function checkRequest(
  number: number,
  actual: RecordedRequest,
  recorded: RecordedRequest | undefined,
): void {
  if (!recorded) {
    throw new UserError(
      `Exchange ${number} of the recording has no request yet; ` +
        '`planfold replay --update` fills it in.',
    );
  }
  const { body, ...line } = actual;
  const { body: recordedBody, ...recordedLine } = recorded;
  const found = firstDifference(line, recordedLine, '') ?? firstDifference(body, recordedBody, '');
  if (!found) return;
  const { path, mine, theirs } = found;
  throw new UserError(
    `Request ${number} differs from the recording at \`${path || 'body'}\`` +
      `${describeDifference(mine, theirs)} If the change is meant, ` +
      '`planfold replay --update` takes it over.',
  );
}

/** Where two requests first differ, and what each has there: undefined where it has nothing. */
interface Difference {
  path: string;
  mine: unknown;
  theirs: unknown;
}

function firstDifference(mine: unknown, theirs: unknown, path: string): Difference | undefined {
  if (Array.isArray(mine) && Array.isArray(theirs)) {
    const length = Math.max(mine.length, theirs.length);
    for (let index = 0; index < length; index++) {
      const found = firstDifference(mine[index], theirs[index], `${path}[${index}]`);
      if (found) return found;
    }
    return undefined;
  }
  if (isObject(mine) && isObject(theirs)) {
    for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
      const found = firstDifference(mine[key], theirs[key], path === '' ? key : `${path}.${key}`);
      if (found) return found;
    }
    // The same keys in another order are other bytes.
    const [keys, theirKeys] = [Object.keys(mine), Object.keys(theirs)];
    if (sameJson(keys, theirKeys)) return undefined;
    return { path: `${path || 'body'} (order of keys)`, mine: keys, theirs: theirKeys };
  }
  return mine === theirs ? undefined : { path, mine, theirs };
}

function toResponse(
  { status, headers, chunks, end }: Exchange['response'],
  {
    substitution,
    signal,
    onDelivered,
  }: {
    substitution: Substitution;
    signal: AbortSignal | undefined;
    onDelivered: () => Promise<void>;
  },
): Response {
  const encoder = new TextEncoder();
  const waiting = [...chunks];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Each piece comes on a turn of the event loop of its own, as from a socket.
      await new Promise((resolve) => setImmediate(resolve));
      if (waiting.length === 0) await onDelivered();
      const chunk = waiting.shift();
      if (signal?.aborted) return controller.error(signal.reason);
      if (chunk !== undefined) {
        return controller.enqueue(encoder.encode(substitution.toActual(chunk)));
      }
      if (end === 'reset') return controller.error(new Error('the connection was reset'));
      if (end === 'hang') return controller.error(await abortOf(signal));
      return controller.close();
    },
  });
  return new Response(body, { status, headers });
}

async function abortOf(signal: AbortSignal | undefined): Promise<unknown> {
  if (signal?.aborted) return signal.reason;
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
}
