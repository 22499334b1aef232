import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call, chunk } from '../harness/sse.ts';
import { type Answer, startStdio, type StdioAgent } from '../harness/stdio.ts';

const BINARY = new URL('../../bin/planfold.js', import.meta.url).pathname;
const KEY = 'sk-recorded-nowhere-0123456789';
const FORMS = { elicitation: { form: {} }, fs: { readTextFile: true, writeTextFile: true } };

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

function startRecording(files: Record<string, string> = {}): StdioAgent {
  const env = {
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: `${server.url}`,
    PLANFOLD_MODEL: 'a-model',
  };
  const agent = startStdio(env, (cwd) => ['--record', join(cwd, '..', 'recording')]);
  mkdirSync(join(agent.home, 'config', 'planfold'), { recursive: true });
  writeFileSync(join(agent.home, 'config', 'planfold', 'AGENTS.md'), `Never say ${KEY}.\n`);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(agent.cwd, name), text);
  return agent;
}

const recordingOf = ({ home }: StdioAgent) => join(home, 'recording');

async function leave(agent: StdioAgent): Promise<void> {
  agent.child.stdin?.end();
  await agent.exited;
}

function replay(directory: string, ...args: string[]) {
  const { stdout, status } = spawnSync(
    process.execPath,
    [BINARY, 'replay', directory, ...args],
    // Another machine: no key, no endpoint, another shell.
    { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: '/nowhere', SHELL: '/bin/bash' } },
  );
  return { stdout, status };
}

const person =
  (feedback: string): Answer =>
  ({ method }) =>
    method === 'elicitation/create'
      ? { result: { action: 'accept', content: { decision: 'approve', feedback } } }
      : { result: { outcome: { outcome: 'selected', optionId: 'allow_once' } } };

/** A whole arc: plan, a command, a review with a note, an edit. */
async function recordArc(): Promise<StdioAgent> {
  const agent = startRecording({ 'a.txt': `one\nkey=${KEY}\n`, '.env': 'TOKEN=hidden' });
  const [first, second] = [agent.cwd.slice(0, 9), agent.cwd.slice(9)];
  server.enqueue(
    call('bash', { command: 'pwd; cat a.txt' }),
    // The path of the workspace, in two pieces.
    [
      chunk({ content: `It is in ${first}` }),
      chunk({ content: `${second}/a.txt.` }),
      chunk({
        tool_calls: [
          {
            index: 0,
            id: 'call_p',
            function: { name: 'exit_plan_mode', arguments: '{"plan":"# Swap\\n\\nOne to two."}' },
          },
        ],
      }),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ],
    call('edit', { path: join(agent.cwd, 'a.txt'), old_string: 'one', new_string: 'two' }),
    answer({ text: 'Done.' }),
  );
  agent.answerWith(person('Carefully.'));
  await agent.initialize(FORMS);
  const sessionId = await agent.newSession();
  await agent.request('session/set_mode', { sessionId, modeId: 'plan' });
  const { result } = await agent.prompt(sessionId, 'Swap one for two');
  expect(result?.['stopReason']).toBe('end_turn');
  await leave(agent);
  expect(readFileSync(join(agent.cwd, 'a.txt'), 'utf8')).toContain('two');
  return agent;
}

function textsBelow(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`)
    .join('\n');
}

describe('--record', () => {
  test('a session of a client becomes a scenario that replays elsewhere, without its secrets', async () => {
    const agent = await recordArc();
    const text = textsBelow(recordingOf(agent));
    expect(text).toContain('"origin":"recorded"');
    for (const secret of [agent.cwd, agent.dataDir, KEY, 'hidden', '127.0.0.1']) {
      expect(text).not.toContain(secret);
    }
    const input = JSON.parse(readFileSync(join(recordingOf(agent), 'input.json'), 'utf8'));
    expect(input.ops).toMatchObject([
      { op: 'initialize', clientCapabilities: { elicitation: { form: {} } } },
      { op: 'newSession' },
      { op: 'setMode', modeId: 'plan' },
      { op: 'prompt', text: 'Swap one for two' },
    ]);
    const { stdout, status } = replay(recordingOf(agent));
    expect(stdout).toMatch(/^✓ recording: the same, 4 requests, [\d.]+ s\n1 passed, 0 failed\n$/);
    expect(status).toBe(0);
  });

  test('a replay names what a changed section changes, with both sides', async () => {
    const directory = recordingOf(await recordArc());
    const path = join(directory, 'input.json');
    const input = JSON.parse(readFileSync(path, 'utf8'));
    input.config.modes = { plan: { section: 'Only look, and then say what you would do.' } };
    writeFileSync(path, JSON.stringify(input));
    const { stdout, status } = replay(directory);
    expect(stdout).toMatch(
      /^✗ recording: Request 1 differs from the recording at `messages\[0\]\.content`, byte \d+: now ".*Only look.*", recorded ".*"/,
    );
    expect(status).toBe(1);

    const junit = replay(directory, '--reporter', 'junit');
    expect(junit.stdout).toContain('tests="1" failures="1"');
    expect(junit.stdout).toContain('<failure message="Request 1 differs from the recording at');
    expect(junit.status).toBe(1);

    expect(replay(directory, '--update').stdout).toContain('✓ recording: taken over');
    expect(replay(directory).status).toBe(0);
  });

  test('what happens while a prompt runs happens there again: a cancel, a flip at a question', async () => {
    const agent = startRecording({ 'a.txt': 'one\n' });
    server.enqueue(
      { chunks: [chunk({ content: 'Let me think' })], end: 'hang' },
      call('bash', { command: 'echo hi' }),
      answer({ text: 'Planning now.' }),
    );
    await agent.initialize(FORMS);
    const sessionId = await agent.newSession();
    const first = agent.prompt(sessionId, 'Begin');
    await agent.until(({ params }) => JSON.stringify(params ?? '').includes('Let me think'));
    agent.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } });
    expect((await first).result?.['stopReason']).toBe('cancelled');
    agent.answerWith(({ method, id }) => {
      if (method !== 'session/request_permission') return undefined;
      void agent.request('session/set_mode', { sessionId, modeId: 'plan' }).then(() =>
        agent.send({
          jsonrpc: '2.0',
          id,
          result: { outcome: { outcome: 'selected', optionId: 'allow_once' } },
        }),
      );
      return undefined;
    });
    expect((await agent.prompt(sessionId, 'Again')).result?.['stopReason']).toBe('end_turn');
    await leave(agent);
    const { ops } = JSON.parse(readFileSync(join(recordingOf(agent), 'input.json'), 'utf8'));
    expect(ops.slice(2)).toEqual([
      { op: 'prompt', text: 'Begin', during: [{ request: 1, ops: [{ op: 'cancel' }] }] },
      {
        op: 'prompt',
        text: 'Again',
        during: [{ question: 1, ops: [{ op: 'setMode', modeId: 'plan' }] }],
      },
    ]);
    expect(replay(recordingOf(agent)).stdout).toContain('1 passed, 0 failed');
  });

  test('an output that was kept in a file, and the file that the model then reads', async () => {
    await server.close();
    server = await startModelServer(({ messages }) => {
      const [path] = /\/[^"\s]+\.outputs\/[^"\s]+?(?= |\.? …)/.exec(JSON.stringify(messages)) ?? [];
      if (messages.length > 4) return answer({ text: 'Read.' });
      if (path === undefined) return call('bash', { command: 'seq 1 20000' });
      return call('read', { path, offset: 10_000, limit: 2 }, 'r');
    });
    const agent = startRecording();
    agent.answerWith(person(''));
    await agent.initialize(FORMS);
    const sessionId = await agent.newSession();
    expect((await agent.prompt(sessionId, 'Count')).result?.['stopReason']).toBe('end_turn');
    await leave(agent);
    const text = textsBelow(recordingOf(agent));
    expect(text).toContain('{{outputs}}/');
    expect(text).not.toContain('planfold-stdio-');
    expect(replay(recordingOf(agent)).stdout).toContain('the same, 3 requests');
  });

  test('one session, in a directory that holds nothing yet and lies elsewhere', async () => {
    const agent = startRecording();
    await agent.initialize();
    await agent.newSession();
    const second = await agent.request('session/new', { cwd: agent.cwd, mcpServers: [] });
    expect(second.error?.message).toMatch(/records one session/);
    await leave(agent);

    const full = startStdio({ OPENAI_API_KEY: KEY }, () => ['--record', recordingOf(agent)]);
    await full.initialize();
    const refused = await full.request('session/new', { cwd: full.cwd, mcpServers: [] });
    expect(refused.error?.message).toMatch(/--record wants a new or empty directory/);
    await leave(full);

    const inside = startStdio({ OPENAI_API_KEY: KEY }, (cwd) => ['--record', join(cwd, 'case')]);
    await inside.initialize();
    const told = await inside.request('session/new', { cwd: inside.cwd, mcpServers: [] });
    expect(told.error?.message).toMatch(/lies in the workspace .* outside of it/);
    await leave(inside);
  });
});

test('a recording that differs is named at the first difference by the agent, too', async () => {
  const directory = new URL('../../recordings/default-only', import.meta.url).pathname;
  const agent = startStdio({}, () => ['--replay', directory]);
  await agent.initialize();
  const sessionId = await agent.newSession();
  const { error } = await agent.prompt(sessionId, 'What does greet.ts do?');
  expect(error?.message).toMatch(/Request 1 differs .*`messages\[1\]\.content`/);
  await leave(agent);
});

test('what is no recording is told', () => {
  const { status } = replay('/nowhere-at-all');
  expect(status).toBe(1);
});
