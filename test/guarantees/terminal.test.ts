import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLog } from '../../src/log/read.ts';
import { configure, environmentFor, makeWorkspace } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call, chunk } from '../harness/sse.ts';
import { onlyLog } from '../harness/stdio.ts';
import { startTerminal } from '../harness/terminal.ts';
import { isAlive } from './states.ts';

const NEVER_BY_FORCE = new URL('../harness/neverByForce.mjs', import.meta.url).href;

let server: ModelServer;
let place: { home: string; cwd: string };
beforeEach(async () => {
  server = await startModelServer();
  place = makeWorkspace({ 'a.txt': 'one\n' });
});
afterEach(() => server.close());

function planfold(args: string, env: NodeJS.ProcessEnv = {}) {
  return startTerminal(args, {
    cwd: place.cwd,
    env: { ...environmentFor(place.home, server), ...env },
  });
}

function createGate() {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { release, gate };
}

const log = () => readLog(onlyLog(join(place.home, 'data')));
const sent = () => JSON.stringify(server.requests.at(-1)?.body.messages.at(-1));
const fileText = () => readFileSync(join(place.cwd, 'a.txt'), 'utf8');

const EDIT = call('edit', { path: 'a.txt', old_string: 'one', new_string: 'two' });
const present = (plan: string, id: string) => call('exit_plan_mode', { plan }, id);

test('a plan is reviewed right there: unclear, feedback, a note, and carried out', async () => {
  server.enqueue(present('# First\n\nDo **it**.', 'p1'), present('# Second', 'p2'), EDIT);
  server.enqueue(answer({ text: 'Done.' }));
  const terminal = planfold('run --mode plan "Change a.txt"');
  await terminal.until('First\n\nDo it.');
  for (const unclear of ['', 'ok', 'yes, but not like this', 'x']) {
    await terminal.until('Your review: ');
    terminal.type(`${unclear}\r`);
    await terminal.until('nothing is approved yet');
  }
  await terminal.until('Your review: ');
  terminal.type('Leave the rest\r');
  await terminal.until('Second');
  expect(sent()).toContain('Leave the rest');
  await terminal.until('Your review: ');
  terminal.type('a\r');
  await terminal.until('Your note: ');
  terminal.type('On one line\r');
  await terminal.until('Mode: default');
  await terminal.until('● Edit a.txt\n    -one\n    +two\n');
  await terminal.until('Allow? ');
  expect(sent()).toContain('On one line');
  expect(fileText()).toBe('one\n');
  terminal.type('y\r');
  await terminal.until('Done.');
  expect(await terminal.exited).toBe(0);
  expect(fileText()).toBe('two\n');
});

test.each([
  [['y\r'], 'approve'],
  [['n\r', '\r'], 'keep_planning'],
  [['\x04'], 'cancel'],
])('%j in a review is %s', async (answers, outcome) => {
  server.enqueue(present('# It', 'p1'), answer({ text: 'Well.' }));
  const terminal = planfold('run --mode plan "Go"');
  const prompts = ['Your review: ', 'What to change (Enter for nothing special): '];
  for (const [index, keys] of answers.entries()) {
    await terminal.until(prompts[index] ?? '');
    terminal.type(keys);
  }
  await terminal.until('Well.');
  expect(log()).toContainEqual(expect.objectContaining({ type: 'answer', outcome }));
});

test('Ctrl-D before a review closes it, and every later one', async () => {
  const { release, gate } = createGate();
  server.enqueue({ chunks: present('# It', 'p1'), gate }, answer({ text: 'Well.' }));
  const terminal = planfold('run --mode plan "Go"');
  await terminal.until('waiting for the model');
  terminal.type('\x04');
  release();
  await terminal.until('Well.');
  expect(log()).toContainEqual(expect.objectContaining({ type: 'answer', outcome: 'cancel' }));
});

test('lines that are pasted are one answer, and no approval', async () => {
  server.enqueue(present('# It', 'p1'), answer({ text: 'Well.' }));
  const terminal = planfold('run --mode plan "Go"');
  await terminal.until('Your review: ');
  terminal.type('Two things:\ny\n- and this\r');
  await terminal.until('Well.');
  expect(log()).toContainEqual(
    expect.objectContaining({ outcome: 'keep_planning', feedback: 'Two things:\ny\n- and this' }),
  );
});

test('what was typed before the review could be seen is no answer', async () => {
  const { release, gate } = createGate();
  server.enqueue({ chunks: present('# It', 'p1'), gate }, answer({ text: 'Well.' }));
  const terminal = planfold('run --mode plan "Go"');
  await terminal.until('waiting for the model');
  terminal.type('y\r');
  await terminal.until('y\n');
  release();
  await terminal.until('Your review: ');
  terminal.type('Not like this\r');
  expect(await terminal.exited).toBe(0);
  expect(log()).toContainEqual(expect.objectContaining({ outcome: 'keep_planning' }));
});

test('questions are asked there: by number, by several, in words', async () => {
  const options = [{ label: 'Red' }, { label: 'Blue', description: 'as the sky' }];
  const questions = [
    { question: 'Which?', options },
    { question: 'Which ones?', options, multi_select: true },
    { question: 'Why?' },
  ];
  server.enqueue(call('ask_user_question', { questions }), answer({ text: 'I see.' }));
  const terminal = planfold('run "Ask me"');
  await terminal.until('? Which?\n  1  Red\n  2  Blue: as the sky\nA number, or your own words: ');
  terminal.type('3\r');
  await terminal.until('One number from 1 to 2');
  await terminal.until('own words: ');
  terminal.type('2\r');
  await terminal.until('Numbers, or your own words: ');
  terminal.type('1, 2\r');
  await terminal.until('Your answer: ');
  terminal.type('I like it\r');
  await terminal.until('I see.');
  expect(terminal.text()).not.toContain('● Which?');
  expect(log()).toContainEqual(
    expect.objectContaining({
      outcome: 'answered',
      answers: [['Blue'], ['Red', 'Blue'], ['I like it']],
    }),
  );
});

test('Ctrl-C at a question cancels the turn', async () => {
  server.enqueue(call('write', { path: 'b.txt', content: 'b' }));
  const terminal = planfold('run "Write it"');
  await terminal.until('Allow? ');
  terminal.type('\x03');
  expect(await terminal.exited).toBe(130);
  expect(existsSync(join(place.cwd, 'b.txt'))).toBe(false);
  expect(log().at(-1)).toMatchObject({ type: 'turn/end', stopReason: 'cancelled' });
});

test('Ctrl-C while the model streams cancels the turn', async () => {
  server.enqueue({ chunks: [chunk({ content: 'Half **bo' })], end: 'hang' });
  const terminal = planfold('run "Go"');
  await terminal.until('Half bo');
  terminal.type('\x03');
  expect(await terminal.exited).toBe(130);
  expect(log().at(-1)).toMatchObject({ type: 'turn/end', stopReason: 'cancelled' });
  // Nothing stays bold.
  expect(terminal.raw().lastIndexOf('\x1b[0m')).toBeGreaterThan(
    terminal.raw().lastIndexOf('\x1b[0;'),
  );
});

test('Ctrl-C twice leaves, and takes the command along', async () => {
  // Outside a sandbox, a command that does not listen is given time to end: here it never does.
  configure(place.home, { sandbox: { backend: 'none' } });
  const command = "trap '' TERM INT; echo pid=$$; while :; do sleep 0.1; done";
  server.enqueue(call('bash', { command }));
  const terminal = planfold('run "Go"', { NODE_OPTIONS: `--import=${NEVER_BY_FORCE}` });
  await terminal.until('Allow? ');
  terminal.type('y\r');
  await terminal.until(' s pid=');
  const [, pid = ''] = / s pid=(\d+)/.exec(terminal.text()) ?? [];
  // Two that come too close are one to the system: a person would press it again.
  const pressing = setInterval(() => terminal.type('\x03'), 200);
  expect(await terminal.exited).toBe(130);
  clearInterval(pressing);
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
  // It did not wait for the end of the turn.
  expect(log().at(-1)?.type).not.toBe('turn/end');
});

const HOSTILE = '**Bold** \x1b]0;title\x07\x1b[2J \u202Etxet';

test('the answer is styled, and nothing in it reaches the terminal as a command', async () => {
  server.enqueue(answer({ text: HOSTILE }));
  const terminal = planfold('run "Hi"');
  await terminal.until('Bold ␛]0;title␇␛[2J <U+202E>txet');
  expect(terminal.raw()).toContain('\x1b[0;1mBold\x1b[0m');
  expect(terminal.raw()).not.toMatch(/\x1b\]|\x1b\[2J|\u202e/);
});

test.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])(
  '%j: no looks, nothing drawn anew',
  async (env) => {
    server.enqueue(call('read', { path: 'a.txt' }), answer({ text: HOSTILE }));
    const terminal = planfold('run "Hi"', env);
    await terminal.until('**Bold** ␛]0;title');
    expect(await terminal.exited).toBe(0);
    expect(terminal.raw()).not.toContain('\x1b');
  },
);

test('progress: thoughts, calls, output, diffs, tasks and repetitions', async () => {
  server.enqueue(
    answer({
      reasoning: 'I wonder.',
      calls: [
        { id: 'c1', name: 'bash', arguments: { command: 'printf "\\033[31mred\\n"; exit 3' } },
      ],
    }),
    call('todo_write', { todos: [{ content: 'First', status: 'completed' }] }, 'c2'),
    call('write', { path: 'b.txt', content: 'new\n' }, 'c3'),
    { status: 503, chunks: ['{"error":{"message":"busy"}}'] },
    answer({ text: 'Done.' }),
  );
  const terminal = planfold('run "Go"');
  await terminal.until('I wonder.\n● `printf');
  await terminal.until('Allow? ');
  terminal.type('y\r');
  await terminal.until('    red\n    [exit code 3');
  await terminal.until('✗ [exit code 3');
  await terminal.until('☑ First');
  await terminal.until('● Write b.txt\n    +new\n');
  await terminal.until('Allow? ');
  terminal.type('s\r');
  await terminal.until('✓ Created');
  await terminal.until('↻ ');
  await terminal.until('busy');
  await terminal.until('Done.');
});

test('without words in a terminal it says how to use it, and does not wait', async () => {
  const terminal = planfold('run');
  await terminal.until('There is no prompt.');
  expect(await terminal.exited).toBe(1);
});

test('planfold alone in a terminal says how to go on', async () => {
  const terminal = planfold('');
  await terminal.until('planfold demo');
  await terminal.until('agent_servers');
  expect(await terminal.exited).toBe(0);
});
