import type { ConfiguredModels } from '../../session/machine.ts';
import { resolveProviders } from '../../model/provider.ts';
import { costOf, type Price } from '../../model/usage.ts';
import type { RequestUse } from './entries.ts';

/** The price of a model by the name that requests carry; undefined where none is known. */
export type PriceOf = (model: string) => Price | undefined;

/**
 * Prices as a running session knows them: those of the catalogue and the configuration, first of
 * the provider that is used.
 */
export function createPriceOf(env: NodeJS.ProcessEnv, configured: ConfiguredModels): PriceOf {
  const { providers, options } = configured;
  const { byName, chosen } = resolveProviders(env, { providers, model: options.model });
  const own = byName.get(chosen.provider);
  const inOrder = [...(own ? [own] : []), ...byName.values()];
  return (model) => inOrder.find(({ models }) => models[model] !== undefined)?.models[model]?.price;
}

/** The cost of the requests in dollars; undefined where a price is unknown, or nothing was used. */
export function costOfRequests(
  requests: readonly RequestUse[],
  priceOf: PriceOf,
): number | undefined {
  if (requests.length === 0) return undefined;
  let sum = 0;
  for (const { model, usage } of requests) {
    const price = priceOf(model);
    // A sum with an unknown part in it would say too little.
    if (!price) return undefined;
    sum += costOf(usage, price);
  }
  return sum;
}
