import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { environmentFor, makeWorkspace } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call, chunk } from '../harness/sse.ts';
import { startTerminal } from '../harness/terminal.ts';

const BINARY = new URL('../../bin/planfold.js', import.meta.url).pathname;

let server: ModelServer;
let place: { home: string; cwd: string };
beforeEach(async () => {
  server = await startModelServer();
  place = makeWorkspace({ 'a.txt': 'one\n' });
});
afterEach(() => server.close());

const present = (plan: string, id: string) => call('exit_plan_mode', { plan }, id);
const inPlace = () => ({ cwd: place.cwd, env: environmentFor(place.home, server) });

function replay(name: string): string {
  const { cwd, env } = inPlace();
  const away = { ...env, OPENAI_BASE_URL: '', OPENAI_API_KEY: '', SHELL: '/bin/bash' };
  const args = [BINARY, 'replay', join(place.home, name)];
  const options = { cwd, env: away, encoding: 'utf8' } as const;
  return spawnSync(process.execPath, args, options).stdout;
}

test('what a person decides in a terminal is replayed', async () => {
  const asked = {
    questions: [
      { question: 'Which?', options: [{ label: 'Left' }, { label: 'Right' }] },
      { question: 'Why?' },
    ],
  };
  server.enqueue(
    call('ask_user_question', asked, 'q1'),
    present('# First', 'p1'),
    present('# Second', 'p2'),
    call('edit', { path: 'a.txt', old_string: 'one', new_string: 'two' }),
    answer({ text: 'Done.' }),
  );
  const terminal = startTerminal('run --record ../case --mode plan "Change a.txt"', inPlace());
  const exchange: [string, string][] = [
    ['own words: ', '2'],
    ['Your answer: ', 'Because'],
    ['Your review: ', 'Leave the rest'],
    ['Your review: ', 'a'],
    ['Your note: ', 'On one line'],
    ['Allow? ', 'y'],
  ];
  for (const [prompt, typed] of exchange) {
    await terminal.until(prompt);
    terminal.type(`${typed}\r`);
  }
  expect(await terminal.exited).toBe(0);
  expect(replay('case')).toMatch(/^✓ case: the same, 5 requests/);
});

test('a plan that waits, and a cancel, are replayed', async () => {
  const child = startTerminal('run --record ../cancelled "Go"', inPlace());
  server.enqueue({ chunks: [chunk({ content: 'Half' })], end: 'hang' });
  await child.until('Half');
  child.type('\x03');
  expect(await child.exited).toBe(130);
  expect(replay('cancelled')).toMatch(/^✓ cancelled: the same, 1 requests/);

  server.enqueue(present('# It', 'p1'));
  const args = [BINARY, 'run', '--record', '../waits', '--mode', 'plan', 'Plan it'];
  const alone = spawn(process.execPath, args, { ...inPlace(), stdio: 'ignore' });
  expect(await new Promise((resolve) => alone.once('close', resolve))).toBe(3);
  expect(replay('waits')).toMatch(/^✓ waits: the same, 1 requests/);
});

test('what is no new session, or no decision of a person, is not recorded', () => {
  for (const flags of [['--continue'], ['--resume', 'x'], ['--fork', 'x'], ['--approve-plan']]) {
    const args = [BINARY, 'run', '--record', '../none', ...flags, 'Hi'];
    const { status, stderr } = spawnSync(process.execPath, args, { ...inPlace(), input: '' });
    expect([status, String(stderr)]).toEqual([1, expect.stringContaining('a new session')]);
  }
});
