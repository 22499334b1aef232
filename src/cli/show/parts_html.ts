import type { Reply, ResultBlock, TodoEntry } from '../../log/events.ts';
import {
  renderCode,
  renderDiff,
  renderFold,
  renderImage,
  renderOutput,
  renderPromptBlock,
} from './blocks.ts';
import type { CallPart, Entry, PlanPart } from './entries.ts';
import { describeDuration, describeTime } from './figures.ts';
import { type Html, markup } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import * as words from './words.ts';

/** One entry of the timeline; `cwd` shortens its paths. */
export function renderEntry(entry: Entry, cwd: string): Html {
  switch (entry.kind) {
    case 'turn':
      return markup`<h2 id="turn-${entry.turn}">
        Turn ${entry.turn} <time datetime="${entry.time}">${describeTime(entry.time)}</time>
      </h2>`;
    case 'turnEnd':
      return renderTurnEnd(entry);
    case 'mode':
      return renderLine(markup`◆ Mode <b>${entry.mode}</b>, from ${entry.from}`);
    case 'intent':
      return renderLine(markup`◇ Mode <b>${entry.to}</b> chosen, for the next turn`);
    case 'knob':
      return renderLine(markup`Option <b>${entry.id}</b> set to <b>${entry.value}</b>`);
    case 'user':
      return markup`<article class="user">
        <h3>You</h3>
        ${entry.content.map(renderPromptBlock)}
      </article>`;
    case 'context':
      return renderLine(markup`Told to the model: <span dir="auto">${entry.text}</span>`);
    case 'header':
      return renderLine(words.describeHeader(entry));
    case 'thought':
      return markup`<div class="thought">
        ${renderFold(
          markup`Thought <span class="snippet" dir="auto">${snippet(entry.text)}</span>`,
          markup`<div class="prose" dir="auto">${renderMarkdown(entry.text)}</div>`,
        )}
      </div>`;
    case 'answer':
      return renderAnswer(entry);
    case 'call':
      return renderCall(entry, cwd);
    case 'plan':
      return renderPlan(entry);
    case 'todo':
      return markup`<ul class="todo">
        ${entry.entries.map(renderTodo)}
      </ul>`;
    case 'retry':
      return renderLine(
        markup`↻ Try ${entry.attempt} after ${entry.delayMs} ms:
          <span dir="auto">${entry.reason}</span>`,
        'warn',
      );
    case 'compaction':
      return markup`<div class="compaction">
        ${renderFold(
          markup`The conversation up to here was summarised for the model`,
          markup`<div class="prose" dir="auto">${renderMarkdown(entry.summary)}</div>`,
        )}
      </div>`;
  }
}

function renderLine(content: Html | string, tone = ''): Html {
  return markup`<p class="line ${tone}">${content}</p>`;
}

const SNIPPET_LENGTH_MAX = 160;

function snippet(text: string): string {
  const start = text.slice(0, SNIPPET_LENGTH_MAX).replaceAll(/\s+/g, ' ');
  return start.replace(/[\ud800-\udbff]$/, '').trim();
}

function renderTurnEnd({ stopReason, error }: Extract<Entry, { kind: 'turnEnd' }>): Html {
  const how = words.describeStop(stopReason);
  if (how === undefined) return markup``;
  const why = error === undefined ? undefined : markup`: <span dir="auto">${error}</span>`;
  return renderLine(markup`Turn ${how}${why}`, 'bad');
}

function renderAnswer({ text, finish, partial }: Extract<Entry, { kind: 'answer' }>): Html {
  const cut = partial ? 'cut off' : words.describeFinish(finish);
  return markup`<article class="answer">
    <div class="prose" dir="auto">${renderMarkdown(text)}</div>
    ${cut === undefined ? undefined : renderLine(cut, 'warn')}
  </article>`;
}

function renderTodo({ content, status }: TodoEntry): Html {
  const mark = { completed: '☑', in_progress: '◐', pending: '☐' }[status];
  return markup`<li class="${status}">
    <span>${mark}</span> <span dir="auto">${content}</span> <span class="unseen">(${status})</span>
  </li>`;
}

function renderPlan(entry: PlanPart): Html {
  const { text, tone } = words.verdictOf(entry);
  return markup`<article class="plan">
    <header>
      <h3>Plan</h3>
      <span class="badge ${tone}">${text}</span>
    </header>
    <div class="prose" dir="auto">${renderMarkdown(entry.plan)}</div>
    ${renderFeedback(entry.reply)}
  </article>`;
}

function renderFeedback(reply: Reply | undefined): Html | undefined {
  const feedback = words.feedbackOf(reply);
  if (feedback === undefined) return undefined;
  return markup`<blockquote class="feedback" dir="auto">${feedback}</blockquote>`;
}

function renderCall(entry: CallPart, cwd: string): Html {
  const { result, title, name, startedAt } = entry;
  const state = result ? (result.isError ? 'bad' : 'good') : 'open';
  const mark = { bad: '✗', good: '✓', open: '…' }[state];
  const told = { bad: 'failed', good: 'done', open: 'has no result' }[state];
  const content = result?.content ?? [];
  const diffs = content.filter((block) => block.type === 'diff');
  const duration = describeDuration(startedAt, result?.time);
  const summary = markup`<span class="mark ${state}" role="img" aria-label="${told}">${mark}</span>
    <span class="title" dir="auto">${renderTitle(title)}</span>
    <span class="tool">${name}${duration === undefined ? '' : ` · ${duration}`}</span>`;
  const body = [
    renderGiven(entry, diffs.length > 0),
    ...content.map((block) => renderResultBlock(block)),
  ];
  return markup`<article class="call">
    ${renderFold(summary, body, state === 'bad')}
    ${renderQuestion(entry)}${diffs.map((diff) => renderDiff(diff, cwd))}
  </article>`;
}

// A card's title is a command in backticks, or words.
function renderTitle(title: string): Html | string {
  const [, command] = /^`(.+)`$/.exec(title) ?? [];
  return command === undefined ? title : markup`<code>${command}</code>`;
}

// What a change gave to its tool is what its diff shows, and the command that was cut is the title.
function renderGiven({ shown, input, question }: CallPart, changed: boolean): Html {
  if (shown !== undefined) return renderCode(shown);
  if (changed || question?.kind === 'question') return markup``;
  return renderCode(typeof input === 'string' ? input : JSON.stringify(input, null, 2));
}

function renderResultBlock(block: ResultBlock): Html {
  switch (block.type) {
    case 'text':
      return block.text === '' ? markup`` : renderOutput(block.text);
    case 'image':
      return renderImage(block);
    case 'diff':
      return markup``;
  }
}

function renderQuestion({ question, reply, ...course }: CallPart): Html | undefined {
  if (!question) return undefined;
  const { text, tone } = words.verdictOf({ question, ...(reply ? { reply } : {}), ...course });
  const badge = markup`<span class="badge ${tone}">${text}</span>`;
  const feedback = renderFeedback(reply);
  switch (question.kind) {
    case 'permission':
      return markup`<p class="asked">${words.describePermission(question)} ${badge}</p>
        ${feedback}`;
    case 'review':
      return markup`<p class="asked">Review asked ${badge}</p>
        ${feedback}`;
    case 'question': {
      const answers = reply?.outcome === 'answered' ? reply.answers : [];
      const shown = question.questions.map(
        (one, index) =>
          markup`<dt dir="auto">${one.question}</dt>
            <dd dir="auto">${answers[index]?.join(', ') ?? text}</dd>`,
      );
      return markup`<dl class="asked">${shown}</dl>`;
    }
  }
}
