import type { ContentBlock } from '@agentclientprotocol/sdk/unstable';
import { InputError } from '../base/errors.ts';
import type { PromptBlock } from '../log/events.ts';

/** A prompt's blocks as the log keeps them. Throws `InputError` for what cannot be taken. */
export function readPrompt(blocks: readonly ContentBlock[]): PromptBlock[] {
  const content = blocks.map(readBlock);
  const empty = content.every((block) => block.type === 'text' && block.text.trim() === '');
  if (empty) throw new InputError('The prompt is empty; write what should be done.');
  return content;
}

function readBlock(block: ContentBlock): PromptBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'resource_link':
      return { type: 'resource_link', uri: block.uri, name: block.name };
    case 'resource': {
      const { resource } = block;
      if (!('text' in resource)) {
        const { mimeType } = resource;
        if (mimeType && IMAGES.has(mimeType)) return toImage(mimeType, resource.blob);
        // Bytes that no model reads are named instead of shown.
        return { type: 'resource_link', uri: resource.uri, name: resource.uri };
      }
      const { uri, text, mimeType } = resource;
      return { type: 'resource', resource: { uri, text, ...(mimeType ? { mimeType } : {}) } };
    }
    case 'image':
      return toImage(block.mimeType, block.data);
    case 'audio':
      throw new InputError('Prompts cannot hold audio; send text or a file link.');
  }
}

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

// What providers take at the most, as it is sent: in base64.
const IMAGE_LENGTH_MAX = 20 * 1024 * 1024;

function toImage(mimeType: string, data: string): PromptBlock {
  if (!IMAGES.has(mimeType)) {
    const known = [...IMAGES].join(', ');
    throw new InputError(`An image of type ${mimeType} cannot be sent. Known: ${known}.`);
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) {
    throw new InputError('The data of an image is no base64; send it anew.');
  }
  if (data.length > IMAGE_LENGTH_MAX) {
    throw new InputError(
      `An image has ${data.length} bytes in base64; at most ${IMAGE_LENGTH_MAX} can be sent.`,
    );
  }
  return { type: 'image', mimeType, data };
}
