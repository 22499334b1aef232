import type { SessionUpdate, Usage as AcpUsage } from '@agentclientprotocol/sdk/unstable';
import type { ModelChoice } from '../model/models.ts';
import type { Usage } from '../model/types.ts';
import { costOf } from '../model/usage.ts';
import type { Session } from '../session/session.ts';

/** The tokens of a turn in ACP's words; integers, as the schema has it. */
export function toUsage(usage: Usage): AcpUsage {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = usage;
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(cachedTokens === undefined ? {} : { cachedReadTokens: cachedTokens }),
    ...(reasoningTokens === undefined ? {} : { thoughtTokens: reasoningTokens }),
  };
}

/** How full the context window is, and what the session has cost; undefined before any answer. */
export function toUsageUpdate({ state, knobs, windowTokens }: Session): SessionUpdate | undefined {
  if (state.contextTokens === undefined) return undefined;
  const amount = costOfAll(state.spent, knobs.models());
  return {
    sessionUpdate: 'usage_update',
    used: state.contextTokens,
    size: windowTokens(),
    ...(amount === undefined ? {} : { cost: { amount, currency: 'USD' } }),
  };
}

// A sum with an unknown part in it would say too little.
function costOfAll(
  spent: Readonly<Record<string, Usage>>,
  models: readonly ModelChoice[],
): number | undefined {
  let sum = 0;
  for (const [model, usage] of Object.entries(spent)) {
    const price = models.find(({ name }) => name === model)?.price;
    if (!price) return undefined;
    sum += costOf(usage, price);
  }
  return Math.round(sum * 1e6) / 1e6;
}
