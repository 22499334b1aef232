import { type PriceOf, costOfRequests } from './cost.ts';
import type { RequestUse } from './entries.ts';
import { type Html, markup } from './html.ts';
import { count, describeCost, sumUsage } from './figures.ts';

// Neighbours share a bar where there are more requests than this.
const BARS_MAX = 120;

// In pixels; many bars are as narrow as they have to be.
const BAR_WIDTH_MAX = 44;

const INPUT_HEIGHT = 72;
const OUTPUT_HEIGHT = 36;
const GAP = 6;
const HEIGHT = INPUT_HEIGHT + GAP + OUTPUT_HEIGHT;

interface Bar {
  label: string;
  mode: string;
  cached: number;
  fresh: number;
  output: number;
}

/**
 * The tokens of each request: input above the line, of which a part was cached, output below it,
 * each on a scale of its own. Nothing where no request was counted.
 */
export function renderChart(requests: readonly RequestUse[], priceOf: PriceOf): Html {
  if (requests.length === 0) return markup``;
  const bars = toBars(requests);
  const inputMax = Math.max(1, ...bars.map(({ cached, fresh }) => cached + fresh));
  const outputMax = Math.max(1, ...bars.map(({ output }) => output));
  const columns = bars.map((bar, index) => renderBar(bar, { x: index * 10, inputMax, outputMax }));
  const { inputTokens, cachedTokens, outputTokens } = sumUsage(requests);
  const label =
    `Tokens of ${count(requests.length, 'request')}: ${count(inputTokens)} input, ` +
    `${count(cachedTokens)} of them cached, ${count(outputTokens)} output`;
  const width = bars.length * 10;
  return markup`<section class="use" aria-label="Token use">
    <figure>
      <figcaption>
        Tokens per request
        <span class="key"><i class="fresh"></i>input, new</span>
        <span class="key"><i class="cached"></i>input, cached</span>
        <span class="key"><i class="output"></i>output</span>
      </figcaption>
      <div class="plot">
        <div class="scale"><span>${count(inputMax)}</span> <span>${count(outputMax)}</span></div>
        <svg
          viewBox="0 0 ${width} ${HEIGHT}"
          width="${bars.length * BAR_WIDTH_MAX}"
          height="${HEIGHT}"
          preserveAspectRatio="none"
          role="img"
          aria-label="${label}"
        >
          ${columns}
        </svg>
      </div>
      ${renderTable(requests, priceOf)}
    </figure>
  </section>`;
}

function toBars(requests: readonly RequestUse[]): Bar[] {
  const size = Math.ceil(requests.length / BARS_MAX);
  const groups = Array.from({ length: Math.ceil(requests.length / size) }, (_, index) => ({
    first: index * size + 1,
    members: requests.slice(index * size, (index + 1) * size),
  }));
  return groups.map(({ first, members }) => {
    const { inputTokens, cachedTokens, outputTokens } = sumUsage(members);
    const last = first + members.length - 1;
    return {
      label: last === first ? `Request ${first}` : `Requests ${first} to ${last}`,
      mode: members[0]?.mode ?? '',
      cached: Math.min(cachedTokens, inputTokens),
      fresh: Math.max(0, inputTokens - cachedTokens),
      output: outputTokens,
    };
  });
}

interface Scale {
  x: number;
  inputMax: number;
  outputMax: number;
}

function renderBar(bar: Bar, { x, inputMax, outputMax }: Scale): Html {
  const cached = round((bar.cached / inputMax) * INPUT_HEIGHT);
  const fresh = round((bar.fresh / inputMax) * INPUT_HEIGHT);
  const output = round((bar.output / outputMax) * OUTPUT_HEIGHT);
  const rect = (name: string, y: number, height: number) =>
    markup`<rect class="${name}" x="${x + 1}" y="${round(y)}" width="8" height="${height}" />`;
  const line = bar.mode === 'default' ? 'axis' : bar.mode === 'plan' ? 'axis plan' : 'axis other';
  const used = `${count(bar.fresh)} new, ${count(bar.cached)} cached, ${count(bar.output)} output`;
  return markup`<g>
    <title>${bar.label} (${bar.mode}): ${used}</title>
    ${rect('cached', INPUT_HEIGHT - cached, cached)}
    ${rect('fresh', INPUT_HEIGHT - cached - fresh, fresh)}
    <rect class="${line}" x="${x}" y="${INPUT_HEIGHT + 1}" width="10" height="${GAP - 2}"/>
    ${rect('output', INPUT_HEIGHT + GAP, output)}
  </g>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function renderTable(requests: readonly RequestUse[], priceOf: PriceOf): Html {
  const rows = requests.map((request, index) => {
    const { turn, mode, model, usage, compaction } = request;
    const cost = costOfRequests([request], priceOf);
    return markup`<tr>
      <td>${index + 1}${compaction ? ' (summary)' : ''}</td>
      <td>${turn}</td>
      <td>${mode}</td>
      <td>${model}</td>
      <td>${count(usage.inputTokens)}</td>
      <td>${count(usage.cachedTokens ?? 0)}</td>
      <td>${count(usage.outputTokens)}</td>
      <td>${cost === undefined ? '–' : describeCost(cost)}</td>
    </tr>`;
  });
  return markup`<details>
    <summary>Each request in numbers</summary>
    <div class="scroll" tabindex="0">
      <table class="numbers">
        <thead>
          <tr>
            <th>Request</th>
            <th>Turn</th>
            <th>Mode</th>
            <th>Model</th>
            <th>Input</th>
            <th>Cached</th>
            <th>Output</th>
            <th>Cost</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </details>`;
}
