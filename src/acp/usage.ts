import type { Usage as AcpUsage } from '@agentclientprotocol/sdk/unstable';
import type { Usage } from '../model/types.ts';

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
