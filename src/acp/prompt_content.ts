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
      // Bytes that no text model reads are named instead of shown.
      if (!('text' in resource)) {
        return { type: 'resource_link', uri: resource.uri, name: resource.uri };
      }
      const { uri, text, mimeType } = resource;
      return { type: 'resource', resource: { uri, text, ...(mimeType ? { mimeType } : {}) } };
    }
    case 'image':
    case 'audio':
      throw new InputError(`Prompts cannot hold ${block.type} content; send text or a file link.`);
  }
}
