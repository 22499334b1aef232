import type { Fact, PromptBlock, ResultBlock } from '../../../src/log/events.ts';
import { callOf, headerOf, ran, sessionOf } from './session.ts';

const RUN = "document.documentElement.setAttribute('data-ran','')";

/** Texts that would run something, load something or break out, were they not escaped. */
export const ATTACKS: readonly string[] = [
  `</script><script>${RUN}</script>`,
  `</title></style></pre></textarea><script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `"><svg onload="${RUN}">`,
  `' autofocus onfocus="${RUN}" x='`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">`,
  `<style>body{display:none}</style>`,
  `<base href="http://127.0.0.1:9/"><link rel=stylesheet href="http://127.0.0.1:9/x.css">`,
  `<details open ontoggle="${RUN}">`,
  `[run](javascript:${RUN}) ![load](http://127.0.0.1:9/x.png) [data](data:text/html,<b>)`,
  '```"onmouseover=alert(1)\ncode\n```',
  `--><!-- ]]> {{7*7}} \${7*7} &lt;script&gt;`,
];

// A command that hides what it does: red, cleared, moved, titled, and turned around.
const CONTROLS =
  '\u001b[31mred\u001b[0m\u001b[2J\u001b[1;1H\u001b]0;title\u0007\u009b31m' +
  '\r over \b\b\u0000 \u202egnp.exe\u202c \u2066\u200b\u2069\u200f\ud800\u{e0041} end';

const ALL = `${ATTACKS.join('\n\n')}\n\n${CONTROLS}`;
const LONG = `${'wide_'.repeat(400)} ${ALL}`;

const prompt: PromptBlock[] = [
  { type: 'text', text: LONG },
  { type: 'image', mimeType: `image/png" onerror="${RUN}`, data: 'AAAA' },
  { type: 'image', mimeType: 'image/png', data: `" onerror="${RUN}` },
  { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zz4=' },
  { type: 'resource_link', uri: `javascript:${RUN}`, name: ALL },
  { type: 'resource', resource: { uri: ALL, text: LONG } },
];

const result: ResultBlock[] = [
  { type: 'text', text: LONG },
  { type: 'image', mimeType: 'text/html', data: 'PGI+' },
];

const diff: ResultBlock = { type: 'diff', path: ALL, oldText: `a\n${LONG}`, newText: `${LONG}\nb` };
const plan = callOf('p', 'exit_plan_mode', { plan: `# ${ALL}\n\n| ${ALL.replaceAll('\n', '')} |` });
const bash = callOf('b', 'bash', { command: LONG });
const edit = callOf('e', 'edit', { path: ALL, old_string: 'a', new_string: 'b' });
const odd = { callId: 'o', name: ALL, arguments: LONG };
const ask = callOf('q', 'ask_user_question', { questions: [{ question: ALL }] });

const facts: Fact[] = [
  { type: 'session/title', title: ALL, source: 'user' },
  { type: 'knob/set', id: ALL, value: ALL },
  { type: 'mode/intent', mode: ALL },
  { type: 'turn/start', turn: 1 },
  { type: 'mode/set', mode: ALL },
  { type: 'user/message', messageId: 'u', content: prompt },
  { type: 'context/message', source: ALL, text: ALL },
  { type: 'mode/set', mode: 'plan' },
  { type: 'request/header', reason: 'initial', header: headerOf('plan', ALL) },
  { type: 'retry', attempt: 1, reason: ALL, delayMs: 1 },
  {
    type: 'assistant/message',
    messageId: 'm',
    reasoning: LONG,
    text: `${LONG}\n\n<div onclick="${RUN}">block</div>\n\n1. a\n   <script>${RUN}</script>`,
    calls: [bash, edit, odd, ask, plan],
    finish: 'tool_calls',
    usage: { inputTokens: 10, outputTokens: 2 },
  },
  { type: 'ask', askId: '1', callId: 'b', kind: 'permission', outside: [ALL] },
  { type: 'answer', askId: '1', outcome: 'reject_once', feedback: ALL },
  ...ran(bash, result, true),
  ...ran(edit, [diff]),
  ...ran(odd, result),
  { type: 'ask', askId: '2', callId: 'q', kind: 'question', questions: [{ question: ALL }] },
  { type: 'answer', askId: '2', outcome: 'answered', answers: [[ALL]] },
  ...ran(ask, ALL),
  { type: 'ask', askId: '3', callId: 'p', kind: 'review', title: ALL },
  { type: 'answer', askId: '3', outcome: 'keep_planning', feedback: ALL },
  ...ran(plan, ALL, true),
  { type: 'todo/write', entries: [{ content: ALL, status: 'pending', priority: 'low' }] },
  { type: 'compaction', compactionId: 'k', summary: ALL, throughSeq: 3, state: {} },
  { type: 'turn/end', turn: 1, stopReason: 'failed', error: ALL },
];

/** A session in which every text is an attack on whoever reads it. */
export const HOSTILE = sessionOf(...facts).map((event) =>
  event.type === 'session/created'
    ? { ...event, id: ALL, cwd: ALL, agent: { name: ALL, version: ALL } }
    : event,
);
