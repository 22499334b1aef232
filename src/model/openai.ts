import type OpenAI from 'openai';
import type { APIError } from 'openai';
import { AuthError, messageOf, UserError } from '../base/errors.ts';
import { createDraft } from './draft.ts';
import type { Provider } from './provider.ts';
import type { Completion, CompletionRequest, Model } from './types.ts';

type Library = typeof import('openai');

/** A model behind an OpenAI-compatible endpoint. `fetch` is the seam for recording and replay. */
export function createModel({
  provider,
  fetch,
}: {
  provider: Provider;
  fetch?: typeof globalThis.fetch;
}): Model {
  let opened: Promise<{ library: Library; client: OpenAI }> | undefined;
  // The library is loaded before the first request, not at the start: editors wait for that.
  const open = async () => {
    const library = await import('openai');
    const client = new library.OpenAI({
      apiKey: provider.apiKey ?? '',
      baseURL: provider.baseURL,
      // A retry is a fact of the log, so none may happen out of its sight.
      maxRetries: 0,
      organization: null,
      project: null,
      ...(fetch ? { fetch } : {}),
    });
    return { library, client };
  };
  return {
    ready() {
      if (provider.apiKey !== undefined) return;
      throw new AuthError(
        `No API key: ${provider.apiKeyEnv} is not set. Set it in the environment that starts ` +
          "planfold (in an editor: the agent's `env` setting), with OPENAI_BASE_URL and " +
          'PLANFOLD_MODEL for an endpoint other than OpenAI, and start the agent again.',
      );
    },
    async complete(request) {
      const { library, client } = await (opened ??= open());
      return streamAnswer(client, request, (error) => describe(error, provider, library));
    },
  };
}

async function streamAnswer(
  client: OpenAI,
  { body, signal, onDelta }: CompletionRequest,
  describeError: (error: unknown) => UserError,
): Promise<Completion> {
  const draft = createDraft();
  try {
    const stream = await client.chat.completions.create(body, { signal });
    for await (const chunk of stream) {
      for (const delta of draft.add(chunk)) await onDelta(delta);
    }
  } catch (error) {
    if (signal.aborted) return draft.finish({ finish: 'cancelled' });
    const described = describeError(error);
    if (!draft.begun()) throw described;
    return draft.finish({ finish: 'cut', reason: described.message });
  }
  // The library ends an aborted stream without a word.
  return draft.finish(signal.aborted ? { finish: 'cancelled' } : undefined);
}

// What went wrong in words for a person: what happened, the provider's own words, what to do.
function describe(error: unknown, provider: Provider, library: Library): UserError {
  const at = `The model endpoint ${provider.baseURL}`;
  const clean = (text: string) => scrub(text, provider.apiKey);
  if (error instanceof library.APIConnectionError) {
    const cause = deepestCause(error);
    // A replay's own words need none around them.
    if (cause instanceof UserError) return cause;
    return new UserError(
      clean(`${at} could not be reached: ${messageOf(cause)}. Check OPENAI_BASE_URL and the network.`),
    );
  }
  if (error instanceof library.APIError && error.status !== undefined) {
    const message = clean(`${at} answered ${error.status}: ${wordsOf(error)} ${advice(error.status)}`);
    return error.status === 401 || error.status === 403
      ? new AuthError(message)
      : new UserError(message);
  }
  return new UserError(clean(`The stream of ${at} broke off: ${messageOf(error)}.`));
}

function wordsOf(error: APIError): string {
  const body: unknown = error.error;
  const said =
    typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
  const words = typeof said === 'string' && said !== '' ? said : error.message;
  return /[.!?]$/.test(words.trim()) ? words.trim() : `${words.trim()}.`;
}

function advice(status: number): string {
  if (status === 401 || status === 403) return 'Check OPENAI_API_KEY and what it is allowed to use.';
  if (status === 404) return 'Check PLANFOLD_MODEL and OPENAI_BASE_URL.';
  if (status === 429) return 'Wait a while, or check the quota of your account.';
  if (status >= 500) return 'The provider has a problem; try again.';
  return 'The request was refused; a new session may help if this one became too long.';
}

function deepestCause(error: unknown): unknown {
  return error instanceof Error && error.cause ? deepestCause(error.cause) : error;
}

function scrub(text: string, secret: string | undefined): string {
  return secret === undefined || secret === '' ? text : text.replaceAll(secret, '[key]');
}
