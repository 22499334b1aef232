import { CONTENT_STYLE } from './style_content.ts';

// Every text has a contrast of at least 4.5 to its ground, in both schemes.
const FRAME_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fafaf8; --raised: #ffffff; --sunken: #f1f1ee; --line: #dcdcd6;
  --text: #1f2126; --quiet: #5c616b; --link: #0b5cad;
  --plan: #6543c4; --plan-ground: #f4f0fd; --other: #0f6f6a; --other-ground: #eaf6f5;
  --good: #1a6b35; --good-ground: #e3f4e8; --bad: #b3261e; --bad-ground: #fce9e7;
  --open: #7a5200; --open-ground: #fbf1da;
  --fresh: #3f74c9; --cached: #b3c7e8; --output: #d1812d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15171b; --raised: #1d2025; --sunken: #0f1114; --line: #33373e;
    --text: #e3e5e9; --quiet: #9ea5b0; --link: #7db5f5;
    --plan: #b39df5; --plan-ground: #1f1b2f; --other: #6cc9c2; --other-ground: #14252a;
    --good: #7fd49a; --good-ground: #15301f; --bad: #ff9c92; --bad-ground: #3b1c1a;
    --open: #e8bf6b; --open-ground: #33290f;
    --fresh: #6f9fe8; --cached: #35507c; --output: #dd9a50;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 5rem; }
body {
  margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
/* The direction of one text is not that of the text beside it. */
[dir="auto"], code, b, li, td, .tool, .badge { unicode-bidi: isolate; }
pre, code, .tool { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { font-size: .875em; }
a { color: var(--link); }
.top {
  position: sticky; top: 0; z-index: 1; background: var(--raised);
  border-bottom: 1px solid var(--line);
}
.top > div, main { max-width: 54rem; margin: 0 auto; padding: .6rem 1.25rem; }
h1 {
  margin: 0; font-size: 1.05rem; line-height: 1.35; font-weight: 650;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
.facts {
  display: flex; flex-wrap: wrap; max-height: 2.6rem; margin: .1rem 0 0; padding: 0;
  list-style: none; overflow: hidden;
  color: var(--quiet); font-size: .8125rem; font-variant-numeric: tabular-nums;
}
.facts li { max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.facts li:not(:last-child)::after { content: "·"; margin: 0 .45em; }
.about { margin: 1rem 0 1.25rem; color: var(--quiet); font-size: .875rem; }
main { padding-bottom: 5rem; }
h2 {
  display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .75rem;
  margin: 2.5rem 0 .75rem; font-size: 1.125rem; font-weight: 650;
}
h2 time { color: var(--quiet); font-size: .8125rem; font-weight: 400; }
h3 { margin: 0; font-size: .9375rem; line-height: 1.4; font-weight: 650; }
.band {
  padding: .25rem 0 .25rem 1rem; border-inline-start: 4px solid var(--line);
  border-radius: 4px;
}
.band + .band { margin-top: .75rem; }
.band.plan, .band.other { padding-block: .75rem; padding-inline-end: 1rem; }
.band.plan { border-color: var(--plan); background: var(--plan-ground); }
.band.other { border-color: var(--other); background: var(--other-ground); }
.band > * { margin-block: .75rem; }
.band > :first-child { margin-top: 0; }
.band > :last-child { margin-bottom: 0; }
.mode {
  color: var(--plan); font-size: .8125rem; font-weight: 700; letter-spacing: .02em;
}
.other > .mode { color: var(--other); }
.line { margin: .4rem 0; color: var(--quiet); font-size: .8125rem; }
.line b { color: var(--text); font-weight: 600; }
.line.warn { color: var(--open); }
.line.bad { color: var(--bad); font-weight: 600; }
.quiet { color: var(--quiet); font-size: .875rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

.use { margin: 0 0 1.5rem; }
figure { margin: 0; padding: .9rem 1rem; background: var(--raised); border: 1px solid var(--line);
  border-radius: 8px; }
figcaption {
  display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin-bottom: .6rem; font-size: .8125rem;
  font-weight: 600;
}
.key { color: var(--quiet); font-weight: 400; }
.key i { display: inline-block; width: .7em; height: .7em; margin-inline-end: .4em;
  border-radius: 2px; }
.plot { display: flex; gap: .6rem; }
.scale {
  display: flex; flex-direction: column; justify-content: space-between; color: var(--quiet);
  font-size: .75rem; line-height: 1; text-align: end; white-space: nowrap;
  font-variant-numeric: tabular-nums;
}
svg { display: block; min-width: 0; flex: 0 1 auto; }
.fresh { fill: var(--fresh); background: var(--fresh); }
.cached { fill: var(--cached); background: var(--cached); }
.output { fill: var(--output); background: var(--output); }
.axis { fill: var(--line); }
.axis.plan { fill: var(--plan); }
.axis.other { fill: var(--other); }
figure details { margin-top: .7rem; }
figure summary { color: var(--quiet); font-size: .8125rem; }
@media (max-width: 40rem) {
  .top > div, main { padding-inline: .875rem; }
  .band { padding-inline-start: .7rem; }
  .band.plan, .band.other { padding-inline-end: .7rem; }
}
@media print { .top { position: static; } }
`;

/** The whole style of a page. */
export const STYLE = FRAME_STYLE + CONTENT_STYLE;
