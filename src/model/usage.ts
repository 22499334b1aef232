import type { Usage } from './types.ts';

/** The sum of two counts. */
export function addUsage(sum: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (!sum || !more) return sum ?? more;
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    cachedTokens: (sum.cachedTokens ?? 0) + (more.cachedTokens ?? 0),
    reasoningTokens: (sum.reasoningTokens ?? 0) + (more.reasoningTokens ?? 0),
  };
}

/** Dollars for a million tokens. */
export interface Price {
  input: number;
  /** Of input that the provider had in its cache. */
  cachedInput: number;
  output: number;
}

/** What the tokens cost, in dollars. */
export function costOf(usage: Usage, price: Price): number {
  const cached = usage.cachedTokens ?? 0;
  const fresh = Math.max(0, usage.inputTokens - cached);
  const millionths =
    fresh * price.input + cached * price.cachedInput + usage.outputTokens * price.output;
  return millionths / 1e6;
}
