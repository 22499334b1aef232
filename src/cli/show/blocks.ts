import type { PromptBlock, ResultBlock } from '../../log/events.ts';
import { toHunks } from '../diff_lines.ts';
import { type Html, markup } from './html.ts';
import { toPlain } from '../terminal.ts';

type Image = Extract<PromptBlock, { type: 'image' }>;
type Diff = Extract<ResultBlock, { type: 'diff' }>;

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** A block of a prompt. */
export function renderPromptBlock(block: PromptBlock): Html {
  switch (block.type) {
    case 'text':
      return markup`<p class="said" dir="auto">${block.text}</p>`;
    case 'image':
      return renderImage(block);
    case 'resource_link':
      return markup`<p class="link" dir="auto">🔗 ${block.name} <code>${block.uri}</code></p>`;
    case 'resource': {
      const { uri, text } = block.resource;
      return renderFold(markup`Embedded <code>${uri}</code>`, renderCode(text));
    }
  }
}

/** An image that is one: of a known type, whole, and inside the page. */
export function renderImage({ mimeType, data }: Pick<Image, 'mimeType' | 'data'>): Html {
  const whole = data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  if (!IMAGE_TYPES.has(mimeType) || !whole) {
    return markup`<p class="quiet">
      An image of type <code>${mimeType}</code>, which is not shown.
    </p>`;
  }
  return markup`<img alt="An image of the session" src="data:${mimeType};base64,${data}" />`;
}

/** Text as it stands, in a block that scrolls by itself. */
export function renderCode(text: string): Html {
  return markup`<pre dir="auto" tabindex="0">${text.replace(/\n$/, '')}</pre>`;
}

/** What a program wrote. */
export function renderOutput(text: string): Html {
  return renderCode(toPlain(text));
}

/** Something behind its summary. */
export function renderFold(summary: Html, content: Html | Html[], open = false): Html {
  const inside = markup`<summary>${summary}</summary>${content}`;
  return open ? markup`<details open>${inside}</details>` : markup`<details>${inside}</details>`;
}

/** A change of a file, line by line. */
export function renderDiff({ path, oldText, newText }: Diff, cwd: string): Html {
  const hunks = toHunks(oldText, newText);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const added = lines.filter((line) => line.startsWith('+')).length;
  const removed = lines.filter((line) => line.startsWith('-')).length;
  const summary = markup`<code>${relativeTo(cwd, path)}</code>${oldText === null ? ' new' : ''}
    <span class="plus">+${added}</span> <span class="minus">−${removed}</span>`;
  const shown = hunks.map(
    (hunk) =>
      markup`<span class="hunk">line ${hunk.newStart}</span>${hunk.lines.map(renderDiffLine)}`,
  );
  const body = markup`<pre class="diff" tabindex="0"><code>${shown}</code></pre>`;
  const fold = renderFold(summary, body, lines.length <= OPEN_LINES_MAX);
  return markup`<div class="file">${fold}</div>`;
}

// A longer change is folded, so that the page stays one that can be read through.
const OPEN_LINES_MAX = 60;

function renderDiffLine(line: string): Html {
  const rest = line.slice(1);
  switch (line[0]) {
    case '+':
      return markup`<ins dir="auto">${rest}</ins>`;
    case '-':
      return markup`<del dir="auto">${rest}</del>`;
    case '\\':
      return markup`<span class="note">${rest.trim()}</span>`;
    default:
      return markup`<span dir="auto">${rest}</span>`;
  }
}

// Below the working directory a path is read without it.
function relativeTo(cwd: string, path: string): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
