import { type ModelFacts, USUAL_CONTEXT_TOKENS, USUAL_EFFORTS } from './catalogue.ts';
import { createModel } from './openai.ts';
import type { Provider, Providers } from './provider.ts';
import type { Model } from './types.ts';
import type { Price } from './usage.ts';

/** A model that can be chosen. */
export interface ModelChoice {
  /** `provider/model`. */
  id: string;
  /** The name that the endpoint knows it by. */
  name: string;
  provider: string;
  /** What `reasoning_effort` may be. */
  reasoningEfforts: readonly string[];
  /** Tokens that its window holds. */
  contextTokens: number;
  images: boolean;
  sendsReasoning: boolean;
  price: Price | undefined;
  client: Model;
}

/** The models that a session can use. */
export interface Models {
  /** The one that is used when nothing was chosen. */
  standard: ModelChoice;
  /** Those that are offered, the standard one first. */
  list: () => readonly ModelChoice[];
  /** The model of an id, offered or not; undefined where its provider is not to be had. */
  find: (id: string) => ModelChoice | undefined;
  /**
   * Asks the provider that is used for its list, where nothing is known of its models otherwise;
   * `list` has them afterwards. Never rejects.
   */
  discover: (signal: AbortSignal) => Promise<void>;
  /** The variables that hold keys. */
  keyNames: readonly string[];
}

/** How many models of a provider are offered. */
const DISCOVERED_MAX = 200;

function resolveFacts(facts: ModelFacts) {
  return {
    reasoningEfforts: facts.reasoningEfforts ?? USUAL_EFFORTS,
    contextTokens: facts.contextTokens ?? USUAL_CONTEXT_TOKENS,
    images: facts.images ?? true,
    sendsReasoning: facts.sendsReasoning ?? false,
    price: facts.price,
  };
}

/**
 * The models of all providers that have a key. `fetch` is the seam for recording and replay.
 */
export function createModels(
  { byName, chosen }: Providers,
  fetch?: typeof globalThis.fetch,
): Models {
  const choose = (provider: Provider, name: string): ModelChoice => ({
    id: `${provider.name}/${name}`,
    name,
    provider: provider.name,
    ...resolveFacts(provider.models[name] ?? {}),
    client: createModel({ provider, ...(fetch ? { fetch } : {}) }),
  });
  const own = byName.get(chosen.provider);
  if (!own) throw new Error(`No provider \`${chosen.provider}\`.`);
  const standard = choose(own, chosen.model);
  const known = [...byName.values()]
    .filter(({ apiKey }) => apiKey !== undefined)
    .flatMap((provider) => Object.keys(provider.models).map((name) => choose(provider, name)));
  let discovered: readonly ModelChoice[] = [];
  const list = () => [
    standard,
    ...[...known, ...discovered].filter(({ id }) => id !== standard.id),
  ];
  return {
    standard,
    list,
    find(id) {
      const listed = list().find((choice) => choice.id === id);
      const slash = id.indexOf('/');
      const provider = byName.get(id.slice(0, Math.max(0, slash)));
      const usable = provider?.apiKey !== undefined && slash < id.length - 1;
      return listed ?? (provider && usable ? choose(provider, id.slice(slash + 1)) : undefined);
    },
    async discover(signal) {
      if (!own.lists || own.apiKey === undefined) return;
      const names = await standard.client.list(signal).catch(() => []);
      discovered = names.slice(0, DISCOVERED_MAX).map((name) => choose(own, name));
    },
    keyNames: [...byName.values()].map(({ apiKeyEnv }) => apiKeyEnv),
  };
}
