import { createHash } from 'node:crypto';
import { DEFAULT_MODE } from '../../log/state.ts';
import { PLAN_MODE } from '../../modes/definitions.ts';
import { renderChart } from './chart.ts';
import { costOfRequests, type PriceOf } from './cost.ts';
import type { Entry, Timeline } from './entries.ts';
import { type Html, markup, trust } from './html.ts';
import { renderEntry } from './parts_html.ts';
import { STYLE } from './style.ts';
import { count, describeCost, describeTime, sumUsage } from './figures.ts';

/**
 * A session as one HTML page that needs nothing else: no script, nothing that is loaded, and a
 * policy in it that forbids both, and any style but its own.
 */
export function renderPage(timeline: Timeline, priceOf: PriceOf): string {
  const { session, title = 'A session without a prompt', entries, requests } = timeline;
  const { parent } = session;
  const digest = createHash('sha256').update(STYLE).digest('base64');
  const policy =
    `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; ` +
    "base-uri 'none'; form-action 'none'";
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="${session.agent.name} ${session.agent.version}">
<title>${title}</title><style>${trust(STYLE)}</style></head>
<body><header class="top"><div><h1 dir="auto">${title}</h1>
${renderFacts(timeline, priceOf)}</div></header><main>
<p class="about">Session <code>${session.id}</code> in <code>${session.cwd}</code>,
${describeTime(timeline.startedAt)} to ${describeTime(timeline.endedAt)}${
    parent && markup`, forked from <code>${parent.id}</code> at event ${parent.seq}`
  }.</p>
${renderChart(requests, priceOf)}
${toStretches(entries).map((stretch) => renderStretch(stretch, session.cwd))}
${renderOpenTurn(timeline)}
</main></body></html>
`.text;
}

function renderFacts({ requests, turns }: Timeline, priceOf: PriceOf): Html {
  const models = [...new Set(requests.map(({ model }) => model))].join(', ');
  const { inputTokens, outputTokens } = sumUsage(requests);
  const cost = costOfRequests(requests, priceOf);
  const facts = [
    models,
    count(turns, 'turn'),
    count(requests.length, 'request'),
    `${count(inputTokens + outputTokens)} tokens`,
    cost === undefined ? '' : describeCost(cost),
  ];
  return markup`<ul class="facts">
    ${facts.filter((fact) => fact !== '').map((fact) => markup`<li>${fact}</li>`)}
  </ul>`;
}

function renderOpenTurn({ openTurn }: Timeline): Html | undefined {
  if (openTurn === undefined) return undefined;
  return markup`<p class="line warn">
    Turn ${openTurn} has no end in the log: it goes on, or its process ended before it did.
  </p>`;
}

// Entries of one mode that follow one another; the heading of a turn stands between them.
interface Stretch {
  mode: string;
  entries: Entry[];
}

function toStretches(entries: readonly Entry[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const entry of entries) {
    const last = stretches.at(-1);
    const apart = entry.kind === 'turn' || last?.entries[0]?.kind === 'turn';
    if (last && !apart && last.mode === entry.mode) last.entries.push(entry);
    else stretches.push({ mode: entry.mode, entries: [entry] });
  }
  return stretches;
}

function renderStretch({ mode, entries }: Stretch, cwd: string): Html {
  const shown = entries.map((entry) => renderEntry(entry, cwd));
  if (entries[0]?.kind === 'turn') return markup`${shown}`;
  if (mode === DEFAULT_MODE) return markup`<section class="band">${shown}</section>`;
  const tint = mode === PLAN_MODE ? 'plan' : 'other';
  return markup`<section class="band ${tint}" aria-label="${mode} mode">
    <p class="mode">${mode} mode</p>
    ${shown}
  </section>`;
}
