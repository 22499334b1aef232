import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Editor, openEditor, resultOf } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';

let server: ModelServer;
let editor: Editor;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(async () => {
  await editor.close();
  await server.close();
});

/** An editor that writes what it gets to the disk as it is, and shows `buffers` by name. */
async function open(options: {
  files: Record<string, string>;
  buffers?: Record<string, string>;
  fails?: boolean;
}): Promise<{ read: string[]; written: string[] }> {
  const seen = { read: [] as string[], written: [] as string[] };
  const nameOf = (path: string) => path.slice(editor.cwd.length + 1);
  editor = await openEditor({
    server,
    files: options.files,
    fs: true,
    answers: {
      async readTextFile({ path }) {
        seen.read.push(nameOf(path));
        if (options.fails) throw new Error('no such buffer');
        const buffer = options.buffers?.[nameOf(path)];
        return { content: buffer ?? readFileSync(path, 'utf8') };
      },
      async writeTextFile({ path, content }) {
        seen.written.push(nameOf(path));
        if (options.fails) throw new Error('not in this project');
        writeFileSync(path, content);
        return {};
      },
    },
  });
  return seen;
}

async function edit(path: string, from: string, to: string) {
  const args = { path, old_string: from, new_string: to };
  const calls = [
    { id: 'read', name: 'read', arguments: { path } },
    { id: 'edit', name: 'edit', arguments: args },
    { id: 'again', name: 'edit', arguments: { ...args, old_string: to, new_string: `${to}.` } },
  ];
  server.enqueue(answer({ calls }), answer({ text: 'Done.' }));
  await editor.prompt('Go');
  return { read: resultOf(editor.log(), 'read'), edit: resultOf(editor.log(), 'edit') };
}

const onDisk = (name: string) => readFileSync(join(editor.cwd, name));

test('unsaved changes are what the model reads, and an edit lands in the editor', async () => {
  const seen = await open({ files: { 'a.txt': 'saved\n' }, buffers: { 'a.txt': 'unsaved\n' } });
  const { read, edit: edited } = await edit('a.txt', 'unsaved', 'edited');
  expect(read.text).toContain('unsaved');
  expect(edited.isError).toBe(false);
  expect(seen.written[0]).toBe('a.txt');
  expect(onDisk('a.txt').toString()).toBe('edited\n');
});

describe('what a file is like survives both ways', () => {
  test.each([
    ['line endings', 'one\r\ntwo\r\n', '1.\r\ntwo\r\n'],
    ['a byte order mark', '\uFEFFone\ntwo\n', '\uFEFF1.\ntwo\n'],
    ['mixed line endings', 'one\r\ntwo\nthree\n', '1.\r\ntwo\nthree\n'],
  ])('%s', async (_, before, after) => {
    const seen = await open({ files: { 'a.txt': before } });
    const { edit: edited } = await edit('a.txt', 'one', '1');
    expect(edited.isError).toBe(false);
    expect(onDisk('a.txt').toString()).toBe(after);
    expect(seen.written).toContain('a.txt');
  });

  test('another encoding goes by the disk, for a frame would lose its bytes', async () => {
    const seen = await open({ files: {} });
    writeFileSync(join(editor.cwd, 'a.txt'), Buffer.from('caf\xe9 one\n', 'latin1'));
    const { edit: edited } = await edit('a.txt', 'one', 'two');
    expect(edited.isError).toBe(false);
    expect(onDisk('a.txt').toString('latin1')).toBe('caf\xe9 two.\n');
    expect(seen).toEqual({ read: [], written: [] });
  });
});

test('where the calls of the editor fail, the disk serves', async () => {
  const seen = await open({ files: { 'a.txt': 'one\n' }, fails: true });
  const { read, edit: edited } = await edit('a.txt', 'one', 'two');
  expect(read.text).toContain('one');
  expect(edited.isError).toBe(false);
  expect(seen.read.length).toBeGreaterThan(0);
  expect(onDisk('a.txt').toString()).toBe('two.\n');
});

test('an editor that never answers does not hold up a cancellation', async () => {
  let asked = () => {};
  const waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  editor = await openEditor({
    server,
    files: { 'a.txt': 'one\n' },
    fs: true,
    answers: {
      readTextFile() {
        asked();
        return new Promise(() => {});
      },
    },
  });
  server.enqueue(answer({ calls: [{ id: 'read', name: 'read', arguments: { path: 'a.txt' } }] }));
  const prompted = editor.prompt('Go');
  await waiting;
  await editor.cancel();
  expect((await prompted).stopReason).toBe('cancelled');
});

test('a cancellation while the editor writes changes nothing on the disk', async () => {
  let asked = () => {};
  const waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  editor = await openEditor({
    server,
    files: { 'a.txt': 'one\n' },
    fs: true,
    answers: {
      readTextFile: async ({ path }) => ({ content: readFileSync(path, 'utf8') }),
      writeTextFile() {
        asked();
        return new Promise(() => {});
      },
    },
  });
  const args = { path: 'a.txt', old_string: 'one', new_string: 'two' };
  server.enqueue(answer({ calls: [{ id: 'edit', name: 'edit', arguments: args }] }));
  const prompted = editor.prompt('Go');
  await waiting;
  await editor.cancel();
  expect((await prompted).stopReason).toBe('cancelled');
  await editor.close();
  expect(onDisk('a.txt').toString()).toBe('one\n');
});
