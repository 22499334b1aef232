import { join } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk/unstable';
import type { ClientAnswers } from './client.ts';

/**
 * An editor's buffers, by path relative to `cwd`: it shows them, and keeps what is written in them
 * without saving.
 */
export function createBuffers(
  cwd: string,
  texts: Readonly<Record<string, string>>,
): Required<Pick<ClientAnswers, 'readTextFile' | 'writeTextFile'>> {
  const buffers = new Map(Object.entries(texts).map(([path, text]) => [join(cwd, path), text]));
  return {
    async readTextFile({ path }) {
      const content = buffers.get(path);
      if (content === undefined) throw RequestError.resourceNotFound(path);
      return { content };
    },
    async writeTextFile({ path, content }) {
      buffers.set(path, content);
      return {};
    },
  };
}
