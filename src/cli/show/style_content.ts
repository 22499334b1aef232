/** The style of what was said and done. */
export const CONTENT_STYLE = `
.user {
  padding: .7rem 1rem; background: var(--raised); border: 1px solid var(--line);
  border-radius: 8px;
}
.user h3 { color: var(--quiet); font-size: .75rem; letter-spacing: .04em; }
.said { margin: .2rem 0 0; white-space: pre-wrap; }
.link { margin: .2rem 0 0; }
img { display: block; max-width: 100%; max-height: 30rem; margin: .5rem 0; border-radius: 4px; }

.prose > :first-child { margin-top: 0; }
.prose > :last-child { margin-bottom: 0; }
.prose p, .prose ul, .prose ol, .prose pre, .prose blockquote, .prose .scroll { margin: .65rem 0; }
.prose ul, .prose ol { padding-inline-start: 1.5rem; }
.prose li + li { margin-top: .2rem; }
.prose :is(h4, h5, h6) { margin: 1.1rem 0 .4rem; line-height: 1.35; font-weight: 650; }
.prose h4 { font-size: 1.0625rem; }
.prose :is(h5, h6) { font-size: .9375rem; }
.prose hr { height: 1px; border: 0; background: var(--line); }
.prose blockquote, .feedback {
  margin-inline: 0; padding-inline-start: .8rem; border-inline-start: 3px solid var(--line);
  color: var(--quiet);
}
.prose :not(pre) > code, summary code, .about code, .link code {
  padding: .1em .3em; background: var(--sunken); border-radius: 4px;
}
pre {
  max-width: 100%; max-height: 32rem; margin: .5rem 0; padding: .65rem .8rem; overflow: auto;
  background: var(--sunken); border: 1px solid var(--line); border-radius: 6px;
  font-size: .8125rem; line-height: 1.5; overflow-wrap: normal; tab-size: 4;
}
pre code { font-size: inherit; }
.scroll { max-width: 100%; overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; overflow-wrap: normal; }
th, td { padding: .3rem .65rem; border: 1px solid var(--line); text-align: start; }
th { background: var(--sunken); font-weight: 600; }
.align-right { text-align: end; }
.align-center { text-align: center; }
.numbers { margin-top: .5rem; font-size: .8125rem; font-variant-numeric: tabular-nums; }
.numbers :is(td, th):nth-child(n + 5) { text-align: end; }

summary { cursor: pointer; border-radius: 4px; }
:is(summary, a, pre, .scroll):focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.thought, .compaction { color: var(--quiet); font-size: .875rem; }
.thought summary { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.thought .prose, .compaction .prose { padding: .4rem 0 .2rem 1rem; }
.snippet { font-style: italic; opacity: .9; }
[open] > summary > .snippet { display: none; }
.compaction {
  padding: .5rem .8rem; border: 1px dashed var(--line); border-radius: 6px;
}

.plan > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .4rem .75rem; }
article.plan {
  padding: .9rem 1rem; background: var(--raised); border: 1px solid var(--plan);
  border-radius: 8px;
}
article.plan > header {
  justify-content: space-between; margin-bottom: .7rem; padding-bottom: .6rem;
  border-bottom: 1px solid var(--line);
}
article.plan h3 { color: var(--plan); }
article.plan > .feedback { margin: .9rem 0 0; }
.badge {
  display: inline-block; padding: .05rem .55rem; border-radius: 1rem; font-size: .75rem;
  font-weight: 600; line-height: 1.6;
}
.good { color: var(--good); }
.bad { color: var(--bad); }
.open { color: var(--open); }
.badge.good { background: var(--good-ground); }
.badge.bad { background: var(--bad-ground); }
.badge.open { background: var(--open-ground); }
.feedback { white-space: pre-wrap; font-size: .9375rem; }
.feedback::before { content: "You wrote"; display: block; font-size: .75rem; font-weight: 600; }

.call { font-size: .9375rem; }
.call > details > summary { color: var(--text); }
.call .mark { display: inline-block; width: 1em; font-weight: 700; text-align: center; }
.call .title { font-weight: 600; }
.call .title code { padding: 0; background: none; }
.call .tool { margin-inline-start: .3rem; color: var(--quiet); font-size: .75rem; }
.asked { margin: .25rem 0 .25rem 1.1rem; color: var(--quiet); font-size: .8125rem; }
.asked + .feedback { margin: .25rem 0 .5rem 1.1rem; }
dl.asked { font-size: .9375rem; }
dl.asked dt { color: var(--text); }
dl.asked dd { margin: .1rem 0 .5rem; padding-inline-start: .8rem; white-space: pre-wrap;
  border-inline-start: 3px solid var(--line); }
.file { margin: .4rem 0; font-size: .875rem; }
.file summary { font-variant-numeric: tabular-nums; }
.plus { color: var(--good); }
.minus { color: var(--bad); }
.diff { padding: 0; }
.diff code { display: grid; min-width: max-content; padding: .35rem 0; }
.diff :is(ins, del, span) {
  display: block; min-height: 1.5em; padding: 0 .8rem 0 1.7rem; text-decoration: none;
}
.diff :is(ins, del, span)::before { display: inline-block; width: 1em; margin-inline-start: -1em; }
.diff ins { background: var(--good-ground); color: var(--good); }
.diff ins::before { content: "+"; }
.diff del { background: var(--bad-ground); color: var(--bad); }
.diff del::before { content: "−"; }
.diff span::before { content: " "; }
.diff .hunk, .diff .note { padding-inline-start: .8rem; color: var(--quiet); font-size: .6875rem; }
.todo { margin: .5rem 0; padding: 0; list-style: none; font-size: .9375rem; }
.todo .completed { color: var(--quiet); }
.todo .in_progress { font-weight: 600; }
`;
