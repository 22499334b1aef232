import { UserError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { toRecordedRequest } from './record.ts';
import type { Exchange, RecordedRequest } from './recording.ts';
import type { Substitution } from './substitution.ts';

/** How exchanges are replayed. */
export interface ReplayOptions {
  substitution: Substitution;
  /**
   * Hears of every request as a recording would hold it, and makes the replay accept any: for
   * filling requests in. Without it, a request that differs from the recorded one fails.
   */
  onRequest?: (index: number, request: RecordedRequest) => void;
}

/** A `fetch` that answers from a recording, in order. Throws `UserError` naming what differs. */
export function replayFetch(
  exchanges: readonly Exchange[],
  { substitution, onRequest }: ReplayOptions,
): typeof globalThis.fetch {
  let index = 0;
  return async (input, init) => {
    const number = ++index;
    const exchange = exchanges[number - 1];
    const text = JSON.stringify(toRecordedRequest(input, init));
    const request: RecordedRequest = JSON.parse(substitution.toRecorded(text));
    if (!exchange) {
      throw new UserError(
        `Request ${number} is not in the recording, which has ${exchanges.length}.`,
      );
    }
    if (onRequest) onRequest(number - 1, request);
    else checkRequest(number, request, exchange.request);
    return toResponse(exchange.response, substitution, init?.signal ?? undefined);
  };
}

function checkRequest(
  number: number,
  actual: RecordedRequest,
  recorded: RecordedRequest | undefined,
): void {
  if (!recorded) {
    throw new UserError(
      `Exchange ${number} of the recording has no request yet; \`npm run record:update\` fills it in.`,
    );
  }
  const [path, mine, theirs] = firstDifference(actual, recorded, 'request') ?? [];
  if (path === undefined) return;
  throw new UserError(
    `Request ${number} differs from the recording at ${path}: ` +
      `now ${excerpt(mine, theirs)}, recorded ${excerpt(theirs, mine)}.`,
  );
}

type Difference = [path: string, actual: unknown, recorded: unknown];

function firstDifference(actual: unknown, recorded: unknown, path: string): Difference | undefined {
  if (Array.isArray(actual) && Array.isArray(recorded)) {
    const length = Math.max(actual.length, recorded.length);
    for (let index = 0; index < length; index++) {
      const found = firstDifference(actual[index], recorded[index], `${path}[${index}]`);
      if (found) return found;
    }
    return undefined;
  }
  if (isObject(actual) && isObject(recorded)) {
    for (const key of new Set([...Object.keys(actual), ...Object.keys(recorded)])) {
      const found = firstDifference(actual[key], recorded[key], `${path}.${key}`);
      if (found) return found;
    }
    // The same keys in another order are other bytes.
    const [mine, theirs] = [Object.keys(actual), Object.keys(recorded)];
    return mine.join() === theirs.join() ? undefined : [`${path} (order of keys)`, mine, theirs];
  }
  return actual === recorded ? undefined : [path, actual, recorded];
}

const EXCERPT_LENGTH = 60;

// A long text is shown from a little before the first character that differs.
function excerpt(value: unknown, other: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  const against = JSON.stringify(other) ?? '';
  let at = 0;
  while (at < text.length && text[at] === against[at]) at++;
  const start = Math.max(0, at - 20);
  const cut = text.slice(start, start + EXCERPT_LENGTH);
  return `${start > 0 ? '…' : ''}${cut}${start + EXCERPT_LENGTH < text.length ? '…' : ''}`;
}

function toResponse(
  { status, headers, chunks, end }: Exchange['response'],
  substitution: Substitution,
  signal: AbortSignal | undefined,
): Response {
  const encoder = new TextEncoder();
  const waiting = [...chunks];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = waiting.shift();
      if (signal?.aborted) controller.error(signal.reason);
      else if (chunk !== undefined) controller.enqueue(encoder.encode(substitution.toActual(chunk)));
      else if (end === 'reset') controller.error(new Error('the connection was reset'));
      else if (end === 'hang') controller.error(await aborted(signal));
      else controller.close();
    },
  });
  return new Response(body, { status, headers });
}

async function aborted(signal: AbortSignal | undefined): Promise<unknown> {
  if (signal?.aborted) return signal.reason;
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
}
