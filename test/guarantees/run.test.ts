import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readLog } from '../../src/log/read.ts';
import { environmentFor, makeWorkspace } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call, chunk } from '../harness/sse.ts';
import { onlyLog } from '../harness/stdio.ts';

const BINARY = new URL('../../bin/planfold.js', import.meta.url).pathname;

let server: ModelServer;
let place: { home: string; cwd: string };
beforeEach(async () => {
  server = await startModelServer();
  place = makeWorkspace({ 'a.txt': 'one\n' });
});
afterEach(() => server.close());

function run(
  args: string[],
  input?: string,
  onOutput: (child: { kill: () => void; closeStdout: () => void }) => void = () => {},
) {
  const child = spawn(process.execPath, [BINARY, 'run', ...args], {
    cwd: place.cwd,
    env: environmentFor(place.home, server),
  });
  child.stdin.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (piece) => {
    stdout += String(piece);
    onOutput({
      kill: () => child.kill('SIGINT'),
      closeStdout: () => child.stdout.destroy(),
    });
  });
  child.stderr.on('data', (piece) => (stderr += String(piece)));
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr })),
  );
}

const log = () => readLog(onlyLog(join(place.home, 'data')));

describe('planfold run', () => {
  test('writes the answer to stdout and the rest to stderr', async () => {
    server.enqueue(call('read', { path: 'a.txt' }), answer({ text: 'It says one.' }));
    const { code, stdout, stderr } = await run(['What', 'is', 'in', 'a.txt?']);
    expect(stdout).toBe('It says one.\n');
    expect(stderr).toMatch(/^● Read a\.txt\n  ✓ .*\nsession \S+\n$/);
    expect(code).toBe(0);
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('What is in a.txt?');
  });

  test('reads the prompt from stdin', async () => {
    server.enqueue(answer({ text: 'Yes.' }));
    expect((await run([], 'From a pipe\n')).stdout).toBe('Yes.\n');
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('From a pipe');
    expect(await run([], '')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no prompt'),
    });
  });

  test('as json: one object at the end; as jsonl: the events of the log', async () => {
    server.enqueue(answer({ text: 'Yes.' }), answer({ text: 'Again.' }));
    const { stdout } = await run(['--output', 'json', 'Hi']);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ stopReason: 'end_turn', text: 'Yes.' });
    const lines = (await run(['--output', 'jsonl', '--continue', 'Again'])).stdout
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(log().slice(-lines.length));
  });

  test('a plan that nobody can review is printed, and waits', async () => {
    server.enqueue(call('exit_plan_mode', { plan: '# The plan\n\nDo it.' }));
    const { code, stdout, stderr } = await run(['--mode', 'plan', 'Plan it']);
    expect(code).toBe(3);
    expect(stdout).toBe('# The plan\n\nDo it.\n');
    const [, id = ''] = /--resume (\S+)\./.exec(stderr) ?? [];
    expect(log().at(-1)).toMatchObject({ stopReason: 'cancelled' });
    // It is still planning where it goes on.
    server.enqueue(call('exit_plan_mode', { plan: '# Again' }, 'again'));
    expect((await run(['--resume', id, 'Present it again'])).code).toBe(3);
  });

  test('--approve-plan goes on, and the model is told that nobody reviewed it', async () => {
    server.enqueue(call('exit_plan_mode', { plan: '# The plan' }), answer({ text: 'Done.' }));
    expect((await run(['--mode', 'plan', '--approve-plan', 'Go'])).code).toBe(0);
    const sent = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(sent).toContain('no person has reviewed it');
    expect(log()).toContainEqual(
      expect.objectContaining({ type: 'answer', outcome: 'approve', unreviewed: true }),
    );
  });

  test('what would need a person is rejected, and the model hears why', async () => {
    server.enqueue(call('write', { path: 'b.txt', content: 'b' }), answer({ text: 'Could not.' }));
    expect((await run(['Write b'])).code).toBe(0);
    expect(existsSync(join(place.cwd, 'b.txt'))).toBe(false);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Nobody is there to ask');
  });

  test('a fork leaves its parent as it is', async () => {
    server.enqueue(answer({ text: 'One.' }), answer({ text: 'Two.' }));
    const { sessionId } = JSON.parse((await run(['--output', 'json', 'First'])).stdout);
    const path = onlyLog(join(place.home, 'data'));
    const before = readFileSync(path);
    expect((await run(['--fork', sessionId, 'Second'])).code).toBe(0);
    expect(readFileSync(path)).toEqual(before);
  });

  test('Ctrl-C cancels once: the log is whole, and the exit code says it', async () => {
    server.enqueue({ chunks: [chunk({ content: 'Half' })], end: 'hang' });
    let interrupt = true;
    const { code, stdout } = await run(['Go'], '', (child) => {
      if (interrupt) child.kill();
      interrupt = false;
    });
    expect(code).toBe(130);
    expect(stdout).toBe('Half\n');
    expect(log().at(-1)).toMatchObject({ type: 'turn/end', stopReason: 'cancelled' });
  });

  test('whoever stops reading, as `head` does, cancels it', async () => {
    const pieces = [chunk({ content: 'First\n' }), chunk({ content: 'x\n'.repeat(100_000) })];
    server.enqueue({ chunks: [...pieces, ...pieces], end: 'hang' });
    const { code, stderr } = await run(['Go'], '', (child) => child.closeStdout());
    expect(code).toBe(130);
    expect(stderr).toMatch(/^Stopped: cancelled\nsession \S+\n$/);
  });

  test.each([
    [['--mode', 'turbo', 'Hi'], 'Unknown mode `turbo`. Known: default, plan.'],
    [['--model', 'x', 'Hi'], '`model` cannot be "x"'],
    [['--resume', 'nothing', 'Hi'], 'No session `nothing`'],
    [['--continue', '--fork', 'x', 'Hi'], 'Use one of'],
    [['--continue', 'Hi'], 'leave --continue out'],
    [['--output', 'xml', 'Hi'], 'Allowed choices are text, json, jsonl'],
  ])('%j is refused with what is allowed', async (args, words) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
  });

  test('a model that fails is an error, in words', async () => {
    server.enqueue({ status: 401, chunks: ['{"error":{"message":"No such key"}}'] });
    const { code, stderr } = await run(['Hi']);
    expect(code).toBe(1);
    expect(stderr).toContain('answered 401: No such key');
  });
});
