import { UserError } from '../base/errors.ts';
import { type ModelFacts, PRESETS } from './catalogue.ts';

/** A model's endpoint, and where its key comes from. */
export interface Provider {
  name: string;
  /** The base URL of an OpenAI-compatible API, without a trailing slash. */
  baseURL: string;
  /** Undefined when the environment has none: prompts are then answered `auth_required`. */
  readonly apiKey: string | undefined;
  /** The variable the key is read from; no child process gets it. */
  apiKeyEnv: string;
  /** Its models by name, as far as they are known. */
  models: Readonly<Record<string, ModelFacts>>;
  /** Its own list is worth asking for: nothing is known of its models otherwise. */
  lists?: boolean | undefined;
}

/** A provider as the user's configuration describes it. */
export interface ProviderConfig {
  baseURL: string;
  /** Left out where the endpoint asks for no key. */
  apiKeyEnv?: string | undefined;
  models?: Readonly<Record<string, ModelFacts>> | undefined;
}

/** The providers by name, and what is used where nothing was chosen. */
export interface Providers {
  byName: ReadonlyMap<string, Provider>;
  chosen: { provider: string; model: string };
}

/** The model of OpenAI that is used where nothing was chosen. */
export const DEFAULT_MODEL = 'gpt-5';

// What endpoints that ask for no key are sent: the client insists on one.
const NO_KEY = 'none';

/**
 * The providers of the environment and the configuration. `OPENAI_BASE_URL` makes the endpoint it
 * names the one that is used, with `OPENAI_API_KEY`, and `PLANFOLD_MODEL` is then taken as it
 * stands; else that is `provider/model`, or a model of OpenAI. A blank variable counts as absent.
 * Throws `UserError` for a base URL
 * that is none.
 */
export function resolveProviders(
  env: NodeJS.ProcessEnv,
  configured: {
    providers?: Readonly<Record<string, ProviderConfig>>;
    model?: string | undefined;
    /** The stored key of a provider, looked up anew each time: a person may log in meanwhile. */
    stored?: (provider: string) => string | undefined;
  } = {},
): Providers {
  const read = (name: string) => env[name]?.trim() || undefined;
  const keyOf = (provider: string, name: string | undefined) =>
    name === undefined ? NO_KEY : (read(name) ?? configured.stored?.(provider));
  const byName = new Map<string, Provider>();
  for (const [name, preset] of Object.entries({ ...PRESETS, ...configured.providers })) {
    const { baseURL, apiKeyEnv, models = {} } = preset;
    const where = `The baseURL of provider \`${name}\``;
    byName.set(name, {
      name,
      baseURL: checkBaseURL(where, baseURL),
      get apiKey() {
        return keyOf(name, apiKeyEnv);
      },
      apiKeyEnv: apiKeyEnv ?? '',
      models,
      lists: Object.keys(models).length === 0,
    });
  }
  const wanted = read('PLANFOLD_MODEL') ?? configured.model;
  const own = read('OPENAI_BASE_URL');
  if (own === undefined) return { byName, chosen: splitModel(wanted ?? DEFAULT_MODEL, byName) };
  const baseURL = checkBaseURL('OPENAI_BASE_URL', own);
  const known = [...byName.values()].find((provider) => provider.baseURL === baseURL);
  const name = known?.name ?? 'custom';
  // The key is that endpoint's, and goes nowhere else.
  byName.delete('openai');
  const apiKeyEnv = 'OPENAI_API_KEY';
  byName.set(name, {
    name,
    baseURL,
    get apiKey() {
      return keyOf(name, apiKeyEnv) ?? (known?.apiKeyEnv === '' ? NO_KEY : undefined);
    },
    apiKeyEnv,
    models: known?.models ?? {},
    // An endpoint that nobody described is asked for nothing but answers.
    lists: known?.lists ?? false,
  });
  return { byName, chosen: { provider: name, model: wanted ?? DEFAULT_MODEL } };
}

function splitModel(
  wanted: string,
  byName: ReadonlyMap<string, Provider>,
): { provider: string; model: string } {
  const slash = wanted.indexOf('/');
  const provider = wanted.slice(0, Math.max(0, slash));
  if (byName.has(provider)) return { provider, model: wanted.slice(slash + 1) };
  return { provider: 'openai', model: wanted };
}

function checkBaseURL(where: string, baseURL: string): string {
  if (/^https?:/.test(baseURL) && URL.canParse(baseURL)) return baseURL.replace(/\/+$/, '');
  throw new UserError(
    `${where} is ${JSON.stringify(baseURL)}, which is no http(s) URL. ` +
      `Set it to an endpoint such as ${PRESETS['openai']?.baseURL}, or unset it.`,
  );
}
