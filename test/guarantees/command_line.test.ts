import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  methods,
  type NewSessionRequest,
  type PromptRequest,
} from '@agentclientprotocol/sdk/unstable';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLog, logFiles } from '../../src/session/library.ts';
import { verifyLog } from '../../src/session/verify.ts';
import { openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

const BINARY = new URL('../../bin/planfold.js', import.meta.url).pathname;

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(() => answer({ text: 'Yes.' }));
});
afterAll(() => server.close());

/** Runs the binary; a code other than 0 is a result like any other. */
async function planfold(dataDir: string, ...args: string[]) {
  const env = { ...process.env, PLANFOLD_HOME: dataDir };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [BINARY, ...args], {
      env,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

async function stored() {
  const editor = await openEditor({ server });
  await editor.prompt('First');
  await editor.prompt('Second');
  await editor.close();
  const dataDir = join(editor.cwd, '..', 'data');
  return { dataDir, id: editor.sessionId, path: editor.logPath };
}

test('verify says that a log holds, by id and by file', async () => {
  const { dataDir, id, path } = await stored();
  for (const session of [id, path]) {
    const { code, stdout } = await planfold(dataDir, 'verify', session);
    expect(stdout).toContain('2 turns, 2 requests');
    expect(stdout).toContain('Everything holds.');
    expect(code).toBe(0);
  }
});

test('verify names the line that does not hold, and leaves with 1', async () => {
  const { dataDir, id, path } = await stored();
  writeFileSync(path, readFileSync(path, 'utf8').replace('"First"', '"Fist"'));
  const { code, stdout } = await planfold(dataDir, 'verify', id);
  expect(stdout).toContain('line 5: the digest of the request is not that of the fold');
  expect(code).toBe(1);
});

test('salvage makes a session of the whole turns before a damage', async () => {
  const { dataDir, id, path } = await stored();
  const lines = readFileSync(path, 'utf8').split('\n');
  const second = lines.findIndex((line) => line.includes('"Second"'));
  lines[second] = 'damage';
  writeFileSync(path, lines.join('\n'));
  const refused = await planfold(dataDir, 'sessions', 'fork', id);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`line ${second + 1}: not JSON`);
  const { stdout } = await planfold(dataDir, 'sessions', 'salvage', id);
  const salvaged = stdout.split('\n')[0] ?? '';
  expect(verifyLog(findLog(dataDir, salvaged))).toMatchObject({ problems: [], turns: 1 });
  expect(readFileSync(path, 'utf8')).toBe(lines.join('\n'));
});

test('sessions: list, path, fork and rm', async () => {
  const { dataDir, id, path } = await stored();
  expect((await planfold(dataDir, 'sessions', 'list')).stdout).toContain(`${id}  `);
  expect((await planfold(dataDir, 'sessions', 'path', id)).stdout).toBe(`${path}\n`);
  const fork = (await planfold(dataDir, 'sessions', 'fork', id)).stdout.trim();
  expect(verifyLog(findLog(dataDir, fork)).problems).toEqual([]);
  expect((await planfold(dataDir, 'sessions', 'rm', id)).stdout).toContain(path);
  expect([...logFiles(dataDir).keys()]).toEqual([fork]);
  const gone = await planfold(dataDir, 'sessions', 'rm', id);
  expect(gone.code).toBe(1);
  expect(gone.stderr).toContain(`No session \`${id}\``);
});

test.each([
  [['acp', '--nope'], '--nope'],
  [['acp', '--log-level', 'loud'], 'loud'],
  [['teleport'], 'teleport'],
  [['sessions', 'list', '--limit', 'many'], 'many'],
  [['verify', '/no/such/file'], '/no/such/file'],
])('%j is refused with what was wrong', async (args, word) => {
  const { code, stderr } = await planfold('/nowhere', ...args);
  expect(code).toBe(1);
  expect(stderr).toContain(word);
});

test.each([
  [['--help'], ['First steps:', 'OPENAI_API_KEY', 'planfold acp --help', 'README.md']],
  [
    ['acp', '--help'],
    ['agent_servers', '--log-level'],
  ],
  [
    ['run', '--help'],
    ['Exit codes:', '--approve-plan', 'jsonl'],
  ],
])('%j teaches', async (args, words) => {
  const { code, stdout } = await planfold('/nowhere', ...args);
  expect(code).toBe(0);
  for (const word of words) expect(stdout).toContain(word);
});

test.each([
  [['sessoins'], 'Did you mean sessions?'],
  [['run', '--ouptut', 'json'], 'Did you mean --output?'],
])('%j is refused with what was meant', async (args, words) => {
  const { code, stderr } = await planfold('/nowhere', ...args);
  expect(code).toBe(1);
  expect(stderr).toContain(words);
});

test('additional directories are part of the workspace', async () => {
  const other = await openEditor({ server, files: { 'x.txt': 'found\n' } });
  await other.close();
  const editor = await openEditor({
    server,
    answers: { permission: async () => ({ outcome: { outcome: 'cancelled' } }) },
  });
  const { context, cwd } = editor;
  const params: NewSessionRequest = {
    cwd,
    additionalDirectories: [other.cwd],
    mcpServers: [],
  };
  const { sessionId } = await context.request(methods.agent.session.new, params);
  server.enqueue(call('read', { path: join(other.cwd, 'x.txt') }), answer({ text: 'Read.' }));
  const prompt: PromptRequest = { sessionId, prompt: [{ type: 'text', text: 'Read it' }] };
  const { stopReason } = await context.request(methods.agent.session.prompt, prompt);
  expect(stopReason).toBe('end_turn');
  expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('found');
  expect(server.requests.at(-1)?.body.messages[0]?.content).toContain(other.cwd);
  await editor.close();
});
