import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk/unstable';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Editor, openEditor, resultOf } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

const EVERYTHING = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
);
const ODD = new URL('../mcp/servers/odd.mjs', import.meta.url).pathname;

let server: ModelServer;
let editor: Editor | undefined;
beforeEach(async () => {
  server = await startModelServer(() => answer({ text: 'Done.' }));
});
afterEach(async () => {
  await editor?.close();
  editor = undefined;
  await server.close();
});

/** An editor with one server more; `mark` finds its process. */
async function open(script: string, env: Record<string, string> = {}) {
  const mark = `mark-${Math.random().toString(36).slice(2)}`;
  const pairs = Object.entries({ ...env, MCP_MARK: mark });
  editor = await openEditor({
    server,
    config: { options: { approval: 'ask' } },
    mcpServers: [
      {
        name: 'srv',
        command: process.execPath,
        args: [script],
        env: pairs.map(([name, value]) => ({ name, value })),
      },
    ],
  });
  return { opened: editor, mark };
}

async function run(opened: Editor, tool: string, args: object = {}) {
  const id = `call_${tool}_${JSON.stringify(args).length}`;
  server.enqueue(call(`mcp__srv__${tool}`, args, id));
  await opened.prompt('Go');
  return resultOf(opened.log(), id);
}

function findProcesses(mark: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return (
          pid > 0 &&
          pid !== process.pid &&
          readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`MCP_MARK=${mark}`)
        );
      } catch {
        return false;
      }
    });
}

const toolsOf = (index: number) =>
  (server.requests[index]?.body.tools ?? []).map((tool) => tool.function.name);

describe('the reference server', () => {
  test('list, call, error, image, resource, progress', async () => {
    const { opened } = await open(EVERYTHING);
    expect(await run(opened, 'echo', { message: 'hello there' })).toEqual({
      text: 'Echo: hello there',
      isError: false,
    });
    expect((await run(opened, 'get-sum', { a: 2, b: 40 })).text).toContain('42');
    expect((await run(opened, 'get-sum', { a: 'two' })).isError).toBe(true);
    await run(opened, 'get-tiny-image');
    const sent = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(sent).toContain('data:image/png;base64,');
    expect((await run(opened, 'get-resource-reference', { resourceId: 1 })).isError).toBe(false);
    const long = { duration: 1, steps: 3 };
    expect((await run(opened, 'trigger-long-running-operation', long)).isError).toBe(false);
    expect(JSON.stringify(opened.updates())).toContain('1 of 3');
    expect(toolsOf(0)).toContain('mcp__srv__echo');
    // The same tools in each request, so that the prefix stays what it is.
    expect(toolsOf(3)).toEqual(toolsOf(0));
  });

  test('a call is cancelled, and the session goes on', async () => {
    const { opened } = await open(EVERYTHING);
    server.enqueue(
      call('mcp__srv__trigger-long-running-operation', { duration: 60, steps: 60 }, 'long'),
    );
    const prompted = opened.prompt('Go');
    while (!JSON.stringify(opened.updates()).includes('in_progress')) await pause();
    await opened.cancel();
    expect((await prompted).stopReason).toBe('cancelled');
    expect((await run(opened, 'echo', { message: 'on' })).text).toContain('on');
  });

  test('killed in the middle of a call: an error, and started again for the next one', async () => {
    const { opened, mark } = await open(EVERYTHING);
    server.enqueue(
      call('mcp__srv__trigger-long-running-operation', { duration: 60, steps: 60 }, 'long'),
    );
    const prompted = opened.prompt('Go');
    while (!JSON.stringify(opened.updates()).includes('in_progress')) await pause();
    const [pid = 0] = findProcesses(mark);
    process.kill(pid, 'SIGKILL');
    expect((await prompted).stopReason).toBe('end_turn');
    expect(resultOf(opened.log(), 'long')).toMatchObject({ isError: true });
    expect(resultOf(opened.log(), 'long').text).toContain('The MCP server srv failed');
    expect((await run(opened, 'echo', { message: 'again' })).text).toContain('again');
    expect(findProcesses(mark)).not.toContain(pid);
  });

  test('its processes end with the session', async () => {
    const { opened, mark } = await open(EVERYTHING);
    await run(opened, 'echo', { message: 'x' });
    expect(findProcesses(mark)).toHaveLength(1);
    const { sessionId } = opened;
    await opened.context.request(methods.agent.session.close, { sessionId });
    expect(findProcesses(mark)).toEqual([]);
  });
});

describe('a server that is odd', () => {
  test('prints, and names its tools as it likes: all of them can be called', async () => {
    const { opened } = await open(ODD);
    const { text } = await run(opened, 'plain');
    expect(text).toBe(`called plain in ${opened.cwd}`);
    const names = toolsOf(0).filter((name) => name.startsWith('mcp__'));
    expect(names).toHaveLength(12);
    expect(new Set(names).size).toBe(12);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect((server.requests[0]?.text ?? '').length).toBeLessThan(40_000);
  });

  test('what it says of a tool decides whether it is asked about', async () => {
    const asked: string[] = [];
    const { opened } = await open(ODD);
    opened.onPermission = (id) => asked.push(id);
    await run(opened, 'looks');
    await run(opened, 'plain');
    expect(asked).toEqual(['call_plain_2']);
  });

  test('a result of 3 MB is bounded, and whole in a file', async () => {
    const { opened } = await open(ODD);
    const { text } = await run(opened, 'huge');
    expect(text.length).toBeLessThan(64 * 1024);
    const [, path = ''] = /the whole output is in (\S+)/.exec(text) ?? [];
    expect(readFileSync(path, 'utf8')).toHaveLength(3_000_000);
  });

  test('it does not get the keys of the agent', async () => {
    const { opened } = await open(ODD, { OWN: 'mine' });
    const { text } = await run(opened, 'env');
    expect(text).toContain('"OWN":"mine"');
    expect(text).not.toContain('sk-test-key');
  });

  test('tools that it has later are offered with the next step', async () => {
    const { opened } = await open(ODD);
    await run(opened, 'more');
    await opened.prompt('Go on');
    expect(toolsOf(0)).not.toContain('mcp__srv__extra0');
    expect(toolsOf(server.requests.length - 1)).toContain('mcp__srv__extra0');
  });

  test('it dies by itself: an error, then a new start', async () => {
    const { opened } = await open(ODD);
    expect((await run(opened, 'dies')).isError).toBe(true);
    expect((await run(opened, 'plain')).isError).toBe(false);
  });

  test('that fails at the start is a notice with its last words, and the session works', async () => {
    const { opened, mark } = await open(ODD, { ODD_MODE: 'fails' });
    expect((await opened.prompt('Hi')).stopReason).toBe('end_turn');
    expect(JSON.stringify(opened.updates())).toContain('the database is missing');
    expect(toolsOf(0).some((name) => name.startsWith('mcp__'))).toBe(false);
    expect(findProcesses(mark)).toEqual([]);
  });

  test('whose list never ends has no tools, and the session works', async () => {
    const { opened } = await open(ODD, { ODD_MODE: 'endless' });
    expect((await opened.prompt('Hi')).stopReason).toBe('end_turn');
    expect(toolsOf(0).some((name) => name.startsWith('mcp__'))).toBe(false);
  });

  test('with 500 tools: some are offered, and it is said', async () => {
    const { opened } = await open(ODD, { ODD_MODE: 'many' });
    await opened.prompt('Hi');
    expect(toolsOf(0).filter((name) => name.startsWith('mcp__'))).toHaveLength(200);
    expect(JSON.stringify(opened.updates())).toContain('more than 200 tools');
  });

  test('that never answers: opening does not wait for it, and leaving ends it', async () => {
    const { opened, mark } = await open(ODD, { ODD_MODE: 'silent' });
    const prompted = opened.prompt('Hi');
    await opened.cancel();
    expect((await prompted).stopReason).toBe('cancelled');
    await opened.close();
    expect(findProcesses(mark)).toEqual([]);
  });
});

test('a command that is not there is a notice', async () => {
  editor = await openEditor({
    server,
    mcpServers: [{ name: 'gone', command: '/nowhere/server', args: [], env: [] }],
  });
  await editor.prompt('Hi');
  expect(JSON.stringify(editor.updates())).toContain('MCP server gone: It could not be started');
});

describe('over the network', () => {
  test.each([
    ['http', 'streamableHttp', '/mcp'],
    ['sse', 'sse', '/sse'],
  ] as const)('%s: list, call and close', async (type, mode, path) => {
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const env = { ...process.env, PORT: String(port) };
    const child = spawn(process.execPath, [EVERYTHING, mode], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (text) => /port|listening/i.test(String(text)) && resolve());
      }
    });
    const url = `http://127.0.0.1:${port}${path}`;
    editor = await openEditor({
      server,
      mcpServers: [{ type, name: 'srv', url, headers: [{ name: 'x-test', value: '1' }] }],
    });
    expect((await run(editor, 'echo', { message: 'over the wire' })).text).toContain(
      'over the wire',
    );
    child.kill('SIGKILL');
    // The server is gone: an error that names it, and the turn goes on.
    const gone = await run(editor, 'echo', { message: 'anybody there?' });
    expect(gone).toMatchObject({ isError: true });
    expect(gone.text).toContain('The MCP server srv failed');
  });

  test('an address where nothing answers is a notice', async () => {
    editor = await openEditor({
      server,
      mcpServers: [{ type: 'http', name: 'far', url: 'http://127.0.0.1:9/mcp', headers: [] }],
    });
    await editor.prompt('Hi');
    expect(JSON.stringify(editor.updates())).toContain('MCP server far: It could not be started');
  });
});

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
