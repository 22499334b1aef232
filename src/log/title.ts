import type { PromptBlock } from './events.ts';

const TITLE_LENGTH_MAX = 80;

/** A title made of what a person said first; undefined where that was no text. */
export function toTitle(content: readonly PromptBlock[]): string | undefined {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join(' ');
  const letters = [...text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()];
  if (letters.length === 0) return undefined;
  return letters.length > TITLE_LENGTH_MAX
    ? `${letters.slice(0, TITLE_LENGTH_MAX - 1).join('')}…`
    : letters.join('');
}
