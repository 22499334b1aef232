import type { PromptBlock } from './events.ts';

const TITLE_LENGTH_MAX = 80;
const LOOK_LENGTH_MAX = 2000;

/** A title made of what a person said first; undefined where that was no text. */
export function toTitle(content: readonly PromptBlock[]): string | undefined {
  // Of a long prompt the beginning is enough, whatever else it holds.
  const texts = content.map((block) =>
    block.type === 'text' ? block.text.slice(0, LOOK_LENGTH_MAX) : '',
  );
  const text = texts.join(' ').slice(0, LOOK_LENGTH_MAX);
  const letters = [...text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()];
  if (letters.length === 0) return undefined;
  return letters.length > TITLE_LENGTH_MAX
    ? `${letters.slice(0, TITLE_LENGTH_MAX - 1).join('')}…`
    : letters.join('');
}
