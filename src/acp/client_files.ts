import type { ClientCapabilities } from '@agentclientprotocol/sdk/unstable';
import { checkMay } from '../tools/disk.ts';
import { decodeText, encodeText } from '../tools/encoding.ts';
import type { Files, OpenFiles, TextFile } from '../tools/files.ts';
import type { ClientPort } from './client_port.ts';

/** The editor that one session works in. */
export interface FileClient {
  client: ClientPort;
  capabilities: ClientCapabilities;
  sessionId: string;
}

/**
 * Files through the editor, so that unsaved changes are what the model reads, and edits land before
 * the person. The disk serves where the editor has no such call or its call fails; and it alone
 * serves what is no UTF-8, for a frame would not bring its bytes back.
 */
export function openThroughClient(editor: FileClient, openDisk: OpenFiles): OpenFiles {
  const fs = editor.capabilities.fs ?? {};
  if (fs.readTextFile !== true && fs.writeTextFile !== true) return openDisk;
  return (may, signal) => {
    const disk = openDisk(may, signal);
    const readShown = async (path: string, saved: TextFile | undefined) => {
      if (fs.readTextFile !== true || !isUtf8(saved)) return saved;
      checkMay(path, may, 'read');
      const content = await callOr(signal, undefined, (options) =>
        editor.client
          .request('fs/read_text_file', { sessionId: editor.sessionId, path }, options)
          .then((response): unknown => response.content),
      );
      return typeof content === 'string' ? decodeText(Buffer.from(content), path) : saved;
    };
    const files: Files = {
      readBytes: disk.readBytes,
      readText: async (path) => readShown(path, await disk.readText(path)),
      async writeText(path, file) {
        const shown = fs.writeTextFile === true && isUtf8(file);
        if (!shown || !isUtf8(await disk.readText(path))) return disk.writeText(path, file);
        checkMay(path, may, 'change');
        // In the line endings and with the mark that the editor showed: some write what they get as
        // it is, others have their own way with them.
        const content = encodeText(file, path).toString('utf8');
        const written = await callOr(signal, false, async (options) => {
          const params = { sessionId: editor.sessionId, path, content };
          await editor.client.request('fs/write_text_file', params, options);
          return true;
        });
        if (!written) await disk.writeText(path, file);
      },
    };
    return files;
  };
}

function isUtf8(file: TextFile | undefined): boolean {
  return file === undefined || file.encoding === 'utf-8';
}

// A call that fails is made up for by the disk; one that is cancelled is not.
async function callOr<T, F>(
  signal: AbortSignal,
  failed: F,
  call: (options: { cancellationSignal: AbortSignal; stopWaitingOnCancel: true }) => Promise<T>,
): Promise<T | F> {
  try {
    return await call({ cancellationSignal: signal, stopWaitingOnCancel: true });
  } catch {
    signal.throwIfAborted();
    return failed;
  }
}
