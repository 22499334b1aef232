import MarkdownIt from 'markdown-it';
import { type Html, trust } from './html.ts';
import { toVisible } from '../terminal.ts';

// HTML in the text is text; images would have to be fetched, and nothing is.
const markdown = new MarkdownIt({ html: false }).disable('image');
markdown.validateLink = (url) => /^(https?|mailto):/i.test(url);

// A heading of an answer stands below those of the page, whatever its own level.
const HEADING_LEVEL_MIN = 4;

markdown.core.ruler.push('page', ({ tokens }) => {
  for (const token of tokens) {
    if (token.type === 'heading_open' || token.type === 'heading_close') {
      const level = Number(token.tag.slice(1)) + HEADING_LEVEL_MIN - 1;
      token.tag = `h${Math.min(6, level)}`;
    }
    // The page allows no inline styles, which only the cells of a table would have.
    const style = token.attrGet('style');
    if (style !== null) token.attrs = [['class', String(style).replace('text-align:', 'align-')]];
    for (const child of token.children ?? []) {
      if (child.type === 'link_open') child.attrSet('rel', 'noopener noreferrer nofollow');
    }
  }
});

markdown.renderer.rules['table_open'] = () => '<div class="scroll" tabindex="0"><table>';
markdown.renderer.rules['table_close'] = () => '</table></div>';

/** Markdown of a model as HTML: nothing in it runs, loads, or styles the page. */
export function renderMarkdown(text: string): Html {
  return trust(markdown.render(toVisible(text)));
}
