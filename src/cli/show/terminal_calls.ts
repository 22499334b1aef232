import type { styleText } from 'node:util';
import type { ResultBlock } from '../../log/events.ts';
import { toDiffLines } from '../diff_lines.ts';
import type { CallPart, PlanPart } from './entries.ts';
import { count } from './figures.ts';
import { toPlain, toVisible } from '../terminal.ts';
import * as words from './words.ts';

/** Gives a text a colour, where there are colours. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** A plan, whole, with what became of it. */
export function renderPlan(entry: PlanPart, paint: Paint): string {
  return [
    paint('bold', `◆ Plan: ${toVisible(entry.title)}`),
    '',
    indent(toVisible(entry.plan.trim())),
    '',
    `  → ${renderVerdict(words.verdictOf(entry), paint)}${renderFeedback(entry)}`,
  ].join('\n');
}

const TONES = { good: 'green', bad: 'red', open: 'yellow' } as const;

function renderVerdict({ text, tone }: words.Verdict, paint: Paint): string {
  return paint(TONES[tone], toVisible(text));
}

function renderFeedback({ reply }: Pick<PlanPart, 'reply'>): string {
  const feedback = words.feedbackOf(reply);
  return feedback === undefined ? '' : `\n${indent(`“${toVisible(feedback)}”`)}`;
}

/** A call with the question about it and its result. */
export function renderCall(entry: CallPart, paint: Paint): string {
  const { title, name, result, question, shown } = entry;
  const mark = result ? paint(result.isError ? 'red' : 'green', '●') : paint('yellow', '○');
  const blocks = result?.content ?? [];
  const diffs = blocks.filter((block) => block.type === 'diff');
  const content = diffs.length > 0 ? diffs : blocks;
  return [
    `${mark} ${toVisible(title)} ${paint('dim', toVisible(`[${name}]`))}`,
    ...(shown === undefined ? [] : [indent(toVisible(shown))]),
    ...(question ? [renderQuestion(entry, paint)] : []),
    ...content.map((block) => indent(renderResultBlock(block, paint))),
  ].join('\n');
}

function renderQuestion(entry: CallPart, paint: Paint): string {
  const { question, reply } = entry;
  const verdict = renderVerdict(words.verdictOf(entry), paint);
  if (question?.kind === 'question') {
    const answers = reply?.outcome === 'answered' ? reply.answers : [];
    const lines = question.questions.map((one, index) => {
      const answer = toVisible(answers[index]?.join(', ') ?? '') || verdict;
      return `  ? ${toVisible(one.question)}\n  → ${answer}`;
    });
    return lines.join('\n');
  }
  const asked =
    question?.kind === 'permission' ? words.describePermission(question) : 'Review asked';
  return `  ? ${toVisible(asked)} → ${verdict}${renderFeedback(entry)}`;
}

function renderResultBlock(block: ResultBlock, paint: Paint): string {
  switch (block.type) {
    case 'text':
      return cut(toPlain(block.text).trimEnd());
    case 'image':
      return toVisible(`[an image, ${block.mimeType}]`);
    case 'diff':
      return toVisible(toDiffLines(block.path, block.oldText ?? '', block.newText))
        .replaceAll(/^\+.*/gm, (line) => paint('green', line))
        .replaceAll(/^-.*/gm, (line) => paint('red', line));
  }
}

const LINES_MAX = 12;

/** The beginning of a text, and how much is left out. */
export function cut(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= LINES_MAX) return text;
  const left = lines.length - LINES_MAX + 1;
  return [...lines.slice(0, LINES_MAX - 1), `… ${count(left, 'more line')}`].join('\n');
}

/** A text further to the right. */
export function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '    ');
}
