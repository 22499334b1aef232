import { UserError } from '../base/errors.ts';

/** A model's endpoint, and where its key comes from. */
export interface Provider {
  /** The base URL of an OpenAI-compatible API, without a trailing slash. */
  baseURL: string;
  /** Undefined when the environment has none: prompts are then answered `auth_required`. */
  apiKey: string | undefined;
  /** The variable the key is read from; no child process gets it. */
  apiKeyEnv: string;
  model: string;
}

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
const DEFAULT_MODEL = 'gpt-5';

/**
 * The provider of the plain environment: `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `PLANFOLD_MODEL`. A
 * blank variable counts as absent. Throws `UserError` for a base URL that is none.
 */
export function resolveProvider(env: NodeJS.ProcessEnv): Provider {
  const read = (name: string) => env[name]?.trim() || undefined;
  const baseURL = read('OPENAI_BASE_URL') ?? DEFAULT_BASE_URL;
  if (!/^https?:/.test(baseURL) || !URL.canParse(baseURL)) {
    throw new UserError(
      `OPENAI_BASE_URL is ${JSON.stringify(baseURL)}, which is no http(s) URL. ` +
        `Set it to an endpoint such as ${DEFAULT_BASE_URL}, or unset it.`,
    );
  }
  return {
    baseURL: baseURL.replace(/\/+$/, ''),
    apiKey: read('OPENAI_API_KEY'),
    apiKeyEnv: 'OPENAI_API_KEY',
    model: read('PLANFOLD_MODEL') ?? DEFAULT_MODEL,
  };
}
