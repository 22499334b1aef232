import type { RequestUse } from './entries.ts';

/** A duration such as `340 ms`, `2.4 s` or `3 min 5 s`; undefined where a time is missing. */
export function describeDuration(from: string | undefined, to: string | undefined) {
  if (from === undefined || to === undefined) return undefined;
  const milliseconds = Date.parse(to) - Date.parse(from);
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** Tokens of several requests; those that were cached are part of the input. */
export interface TokenSum {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
}

/** The sum of what the requests used. */
export function sumUsage(requests: readonly RequestUse[]): TokenSum {
  const sum = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  for (const { usage } of requests) {
    sum.inputTokens += usage.inputTokens;
    sum.cachedTokens += usage.cachedTokens ?? 0;
    sum.outputTokens += usage.outputTokens;
  }
  return sum;
}

/** A count with its thousands apart, and its noun. */
export function count(value: number, noun?: string): string {
  const digits = value.toLocaleString('en-US');
  if (noun === undefined) return digits;
  return `${digits} ${noun}${value === 1 ? '' : 's'}`;
}

/** Minutes are enough for a reader; the log is in UTC, and so is this. */
export function describeTime(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Dollars; small sums keep what tells them apart from nothing. */
export function describeCost(dollars: number): string {
  return `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`;
}
