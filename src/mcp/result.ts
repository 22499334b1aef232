import type { CallToolResult } from '@modelcontextprotocol/client';
import type { ResultBlock } from '../log/events.ts';
import { createOutputCollector } from '../tools/output.ts';
import type { ToolContext, ToolOutcome } from '../tools/tool.ts';

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const IMAGE_LENGTH_MAX = 7 * 1024 * 1024;

type Content = CallToolResult['content'][number];

/**
 * A server's result as the model reads it: the texts together, bounded, with the whole of them in a
 * file where they are too long; images as such; what no model reads as a sentence.
 */
export function toOutcome(result: CallToolResult, context: ToolContext): ToolOutcome {
  const { callId, workspace } = context;
  const blocks = (result.content ?? []).map((content) => toBlock(content, workspace.images));
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  // Servers repeat it as text, as they should; some do not.
  if (texts.length === 0 && result.structuredContent) {
    texts.push(JSON.stringify(result.structuredContent, null, 2));
  }
  const output = createOutputCollector({
    bytesMax: workspace.limits.toolOutputBytesMax,
    spillDirectory: workspace.spillDirectory,
    callId,
  });
  output.add(Buffer.from(texts.join('\n')));
  output.close();
  const images = blocks.filter((block) => block.type === 'image');
  const text = output.text() || (images.length > 0 ? 'The image follows.' : '(no output)');
  return { content: [{ type: 'text', text }, ...images], isError: result.isError ?? false };
}

function toBlock(content: Content, takesImages: boolean): ResultBlock {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text };
    case 'image':
      return toImage(content, takesImages);
    case 'audio':
      return { type: 'text', text: `(audio, ${content.mimeType}, which cannot be shown)` };
    case 'resource_link':
      return { type: 'text', text: `[${content.name}](${content.uri})` };
    case 'resource': {
      const { resource } = content;
      if ('text' in resource) return { type: 'text', text: resource.text };
      const mimeType = resource.mimeType ?? 'application/octet-stream';
      return toImage({ mimeType, data: resource.blob, uri: resource.uri }, takesImages);
    }
  }
}

function toImage(
  { mimeType, data, uri }: { mimeType: string; data: string; uri?: string },
  takesImages: boolean,
): ResultBlock {
  const shown = takesImages && IMAGES.has(mimeType) && data.length <= IMAGE_LENGTH_MAX;
  if (shown) return { type: 'image', mimeType, data };
  const what = uri === undefined ? mimeType : `${uri}, ${mimeType}`;
  return { type: 'text', text: `(${what}, ${data.length} bytes in base64, which cannot be shown)` };
}
