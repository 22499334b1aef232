import {
  AuthError,
  codeOf,
  messageOf,
  OverflowError,
  TransientError,
  UserError,
} from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Provider } from './provider.ts';

/** What was seen of one request that did not go well. */
export interface Heard {
  contentType?: string | undefined;
  /** A status that refuses, the body that explains it, and how long the provider asks to wait. */
  refusal?: { status: number; text: string; afterMs: number | undefined };
  /** A page where an answer was expected. */
  page?: string;
  /** What `fetch` threw: no answer came. */
  unreached?: unknown;
  /** What was thrown while the answer streamed. */
  broken?: unknown;
}

/**
 * What went wrong, for a person: what happened, the provider's own words, what to do. A
 * `TransientError` where it may go well another time.
 */
export function describeFailure(heard: Heard, provider: Provider): UserError {
  // A replay's own words need none around them.
  if (heard.unreached instanceof UserError) return heard.unreached;
  const quote = (words: string) => toSentence(scrub(words, provider.apiKey));
  const endpoint = `model endpoint ${scrub(provider.baseURL, provider.apiKey)}`;
  if (heard.refusal) return describeRefusal(heard.refusal, { endpoint, provider });
  if (heard.unreached !== undefined) {
    const reason = quote(reasonOf(heard.unreached));
    const said = `The ${endpoint} could not be reached: ${reason}`;
    if (isCertificateProblem(heard.unreached)) {
      return new UserError(
        `${said} If the certificate is one of your own network, name its authority in ` +
          'NODE_EXTRA_CA_CERTS.',
      );
    }
    return new TransientError(`${said} Check the base URL and the network.`);
  }
  if (heard.broken !== undefined) {
    const reason = quote(reasonOf(heard.broken));
    const message = `The answer of the ${endpoint} broke off: ${reason}`;
    const status = statusIn(heard.broken);
    if (OVERFLOW.test(reason)) return new OverflowError(message);
    return isTransient(status ?? 500) ? new TransientError(message) : new UserError(message);
  }
  if (heard.page !== undefined) {
    const words = quote(wordsOfBody(heard.page, provider.apiKey));
    return new UserError(
      `The ${endpoint} answered with a page instead of an answer: ${words} Check the base URL; ` +
        'that of a chat completions API often ends in /v1.',
    );
  }
  const type = heard.contentType ?? 'no content type';
  return new TransientError(
    `The ${endpoint} sent no answer, only an empty stream (${type}). Check that OPENAI_BASE_URL ` +
      'is the base of a chat completions API; it often ends in /v1.',
  );
}

function describeRefusal(
  { status, text, afterMs }: NonNullable<Heard['refusal']>,
  { endpoint, provider }: { endpoint: string; provider: Provider },
): UserError {
  const words = toSentence(wordsOfBody(text, provider.apiKey));
  const message = `The ${endpoint} answered ${status}: ${words} ${advise(status, provider)}`;
  if (status === 401 || status === 403) return new AuthError(message);
  if (isOverflow(status, text)) return new OverflowError(message);
  return isTransient(status) ? new TransientError(message, afterMs) : new UserError(message);
}

function isTransient(status: number): boolean {
  return [408, 409, 425, 429].includes(status) || status >= 500;
}

// Some providers put the status that they would have answered into the stream.
function statusIn(thrown: unknown): number | undefined {
  const error = thrown instanceof Error && 'error' in thrown ? thrown.error : undefined;
  if (!isObject(error)) return undefined;
  const found = [error['code'], error['status']].map(Number).find((one) => one >= 400 && one < 600);
  return found;
}

function isCertificateProblem(thrown: unknown): boolean {
  const code = codeOf(thrown) ?? (thrown instanceof Error ? codeOf(thrown.cause) : undefined);
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code ?? '');
}

// How the providers say that a request is too long for the model.
const OVERFLOW = new RegExp(
  [
    'context_length_exceeded',
    'context (length|window|size)',
    'maximum context',
    '(prompt|input|request) is too (long|large)',
    'too many (input )?tokens',
    'exceeds? the .{0,20}(tokens?|context)',
  ].join('|'),
  'i',
);

function isOverflow(status: number, text: string): boolean {
  return (status === 400 || status === 413 || status === 422) && OVERFLOW.test(text);
}

function advise(status: number, { apiKeyEnv }: Provider): string {
  if (status === 401 || status === 403) return `Check ${apiKeyEnv} and what it is allowed to use.`;
  if (status === 404) return 'Check PLANFOLD_MODEL and OPENAI_BASE_URL.';
  if (status === 402) return 'Check the balance of your account.';
  if (status === 429) return 'Wait a while, or check the quota of your account.';
  if (status >= 500) return 'The provider has a problem; try again.';
  return 'The request was refused; a new session may help if this one became too long.';
}

const WORDS_LENGTH_MAX = 500;

function wordsOfBody(text: string, key: string | undefined): string {
  let words: string | undefined;
  try {
    words = wordsOf(JSON.parse(text));
  } catch {
    // Gateways answer with a page; what stands between its tags is what they say.
    words = text.trimStart().startsWith('<') ? text.replace(/<[^>]*>/g, ' ') : text;
  }
  // A key that the cut goes through would no longer be found.
  const line = scrub((words ?? text).replace(/\s+/g, ' ').trim(), key);
  return line.slice(0, WORDS_LENGTH_MAX) || 'no reason given';
}

// Providers differ in where they put the message; OpenAI's place comes first.
function wordsOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined;
  if (Array.isArray(value)) return wordsOf(value[0]);
  if (!isObject(value)) return undefined;
  return ['error', 'message', 'detail', 'msg'].map((key) => wordsOf(value[key])).find(Boolean);
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return messageOf(thrown);
  // The library keeps an `error` object of the stream under that name.
  const sent = 'error' in thrown ? wordsOf(thrown.error) : undefined;
  if (sent !== undefined) return sent;
  if (thrown.cause) return reasonOf(thrown.cause);
  // A host of several addresses that all refuse gives an error each and no message of its own.
  if (thrown instanceof AggregateError) return [...new Set(thrown.errors.map(reasonOf))].join('; ');
  if (thrown instanceof SyntaxError) return `a piece of it is not JSON (${thrown.message})`;
  if (thrown.name === 'AbortError') return 'no answer came in time';
  return thrown.message || (codeOf(thrown) ?? thrown.name);
}

function toSentence(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

// A shorter key is a placeholder for a local server: it is no secret, and it may be a plain word.
const SECRET_LENGTH_MIN = 8;

function scrub(text: string, key = ''): string {
  return key.length < SECRET_LENGTH_MIN ? text : text.replaceAll(key, '[key]');
}
