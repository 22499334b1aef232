import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Editor, openEditor, resultOf } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

const LINES = Array.from({ length: 10_000 }, (_, index) => `line ${index}`);
const FILES = Object.fromEntries(
  Array.from({ length: 3000 }, (_, index) => [`many/${'d'.repeat(30)}-${index}.txt`, '']),
);
const RESULT_BYTES_MAX = 64 * 1024;

let server: ModelServer;
let editor: Editor;
beforeAll(async () => {
  server = await startModelServer();
  editor = await openEditor({ server, files: { ...FILES, 'long.txt': `${LINES.join('\n')}\n` } });
});
afterAll(async () => {
  await editor.close();
  await server.close();
});

async function run(name: string, args: object) {
  server.enqueue(call(name, args, `call_${name}`), answer({ text: 'Done.' }));
  const from = editor.frames.length;
  await editor.prompt('Go');
  const frames = editor.frames.slice(from).map(({ message }) => JSON.stringify(message).length);
  const { text } = resultOf(editor.log(), `call_${name}`);
  return { text, widest: Math.max(...frames), request: server.requests.at(-1)?.text ?? '' };
}

test('5 MB of output: bounded on the wire and in the request, whole on the disk', async () => {
  const print = `node -e "process.stdout.write('x'.repeat(5e6))"`;
  const { text, widest, request } = await run('bash', { command: print });
  expect(Buffer.byteLength(text)).toBeLessThan(RESULT_BYTES_MAX);
  expect(widest).toBeLessThan(3 * RESULT_BYTES_MAX);
  expect(request.length).toBeLessThan(2 * RESULT_BYTES_MAX);
  const [, path = ''] = /the whole output is in (\S+)/.exec(text) ?? [];
  expect(readFileSync(path, 'utf8')).toBe('x'.repeat(5e6));
});

test('a diff of 10,000 lines is whole for the editor, and no part of the request', async () => {
  const content = `${LINES.map((line) => `${line}!`).join('\n')}\n`;
  const { request } = await run('write', { path: 'long.txt', content });
  const shown = editor.updates().findLast((one) => one['status'] === 'completed');
  expect(shown?.['content']).toEqual([
    {
      type: 'diff',
      path: join(editor.cwd, 'long.txt'),
      oldText: `${LINES.join('\n')}\n`,
      newText: content,
    },
  ]);
  // The model wrote the text itself, once; nothing of the diff comes back to it.
  expect(request.split('line 9999!').length - 1).toBe(1);
  expect(request).not.toContain('line 9999\\n');
});

test('a glob of 3,000 files is bounded, and says how many more there are', async () => {
  const { text, widest } = await run('glob', { pattern: 'many/*' });
  expect(Buffer.byteLength(text)).toBeLessThan(RESULT_BYTES_MAX);
  expect(widest).toBeLessThan(3 * RESULT_BYTES_MAX);
  expect(text).toMatch(/\d more/);
});
