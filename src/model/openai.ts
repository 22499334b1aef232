import { AuthError } from '../base/errors.ts';
import { type Chunk, createDraft } from './draft.ts';
import { describeFailure, type Heard } from './failure.ts';
import { listen } from './listen.ts';
import type { Provider } from './provider.ts';
import type { Completion, CompletionRequest, Model } from './types.ts';

type Fetch = typeof globalThis.fetch;

/** A model behind an OpenAI-compatible endpoint. `fetch` is the seam for recording and replay. */
export function createModel({ provider, fetch }: { provider: Provider; fetch?: Fetch }): Model {
  return {
    ready: () => checkKey(provider),
    async list(signal) {
      const client = await openClient({ provider, fetch: fetch ?? (await loadFetch()) });
      const { data } = await client.models.list({ signal });
      return data.map(({ id }) => id);
    },
    async complete(request) {
      const own = followSignal(request.signal);
      const heard: Heard = {};
      const draft = createDraft();
      const send = fetch ?? (await loadFetch());
      const open = await opener({ provider, fetch: listen(send, heard) });
      const start = () => open({ ...request, signal: own.signal });
      try {
        for await (const chunk of untilBroken(start, heard)) {
          for (const delta of draft.add(chunk)) {
            const shown = request.onDelta(delta);
            // A client that reads slowly holds the stream back, yet never a cancel.
            if (shown) await Promise.race([shown, own.aborted]);
          }
          if (own.signal.aborted) break;
        }
      } finally {
        own.release();
      }
      return settle(draft, heard, { provider, signal: own.signal });
    },
  };
}

function settle(
  draft: ReturnType<typeof createDraft>,
  heard: Heard,
  { provider, signal }: { provider: Provider; signal: AbortSignal },
): Completion {
  if (signal.aborted) return draft.finish({ finish: 'cancelled' });
  if (!draft.begun()) throw describeFailure(heard, provider);
  if (heard.broken === undefined) return draft.finish();
  return draft.finish({ finish: 'cut', reason: describeFailure(heard, provider).message });
}

/** Throws `AuthError` where the provider has no key that can be sent. */
export function checkKey({ apiKey, apiKeyEnv }: Provider): void {
  const wayOut =
    "in the environment that starts planfold (in an editor: the agent's `env` setting)";
  if (apiKey === undefined) {
    throw new AuthError(
      `No API key: ${apiKeyEnv} is not set, and none is stored. Run \`planfold login\` in a ` +
        `terminal, or set it ${wayOut}, with OPENAI_BASE_URL and PLANFOLD_MODEL for an endpoint ` +
        'other than OpenAI (one that needs no key takes any value), and start the agent again.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new AuthError(
      `${apiKeyEnv} holds a space, a line break or a character beyond ASCII, which no API key ` +
        `has. Set it anew ${wayOut}, and start the agent again.`,
    );
  }
}

type Open = (request: CompletionRequest) => Promise<AsyncIterable<Chunk>>;

const loadFetch = async () => (await import('./http.ts')).httpFetch;

// The library is loaded before the first request, not at the start: editors wait for that.
async function openClient({ provider, fetch }: { provider: Provider; fetch: Fetch }) {
  const { OpenAI } = await import('openai');
  return new OpenAI({
    apiKey: provider.apiKey ?? '',
    baseURL: provider.baseURL,
    // A retry is a fact of the log, so none may happen out of its sight.
    maxRetries: 0,
    // What the environment says to the library is none of this program's configuration.
    organization: null,
    project: null,
    // The library would write to the console, and stdout carries frames only.
    logLevel: 'off',
    fetch,
  });
}

async function opener(parts: { provider: Provider; fetch: Fetch }): Promise<Open> {
  const client = await openClient(parts);
  return ({ body, signal }) => client.chat.completions.create(body, { signal });
}

// What the consumer throws while it handles a chunk is not caught here: it is no broken stream.
async function* untilBroken(
  open: () => Promise<AsyncIterable<Chunk>>,
  heard: Heard,
): AsyncGenerator<Chunk> {
  try {
    for await (const chunk of await open()) yield chunk;
  } catch (error) {
    heard.broken = error;
  }
}

interface Followed {
  signal: AbortSignal;
  aborted: Promise<void>;
  release: () => void;
}

// The library never takes its listener off a signal, and a turn's signal serves many requests.
function followSignal(outer: AbortSignal): Followed {
  const controller = new AbortController();
  const { signal } = controller;
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const abort = () => controller.abort(outer.reason);
  if (outer.aborted) abort();
  else outer.addEventListener('abort', abort, { once: true });
  return { signal, aborted, release: () => outer.removeEventListener('abort', abort) };
}
