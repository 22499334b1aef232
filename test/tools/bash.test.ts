import { mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EMPTY_STATE } from '../../src/log/state.ts';
import { createRunCommand } from '../../src/sandbox/run.ts';
import { createBashTool } from '../../src/tools/bash.ts';
import type { Files } from '../../src/tools/files.ts';
import type { ToolContext } from '../../src/tools/tool.ts';

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-bash-')));
const tool = createBashTool({ shell: '/bin/sh' });

const noFiles: Files = {
  readBytes: async () => Buffer.alloc(0),
  readText: async () => undefined,
  writeText: async () => undefined,
};

interface Setup {
  callId?: string;
  signal?: AbortSignal;
  outputBytesMax?: number;
  shellTimeoutMs?: number;
}

function contextOf(setup: Setup, shown: string[] = []): ToolContext {
  return {
    callId: setup.callId ?? 'call_1',
    workspace: {
      cwd,
      roots: [cwd],
      spillDirectory: join(cwd, 'spill'),
      files: noFiles,
      images: true,
      runCommand: createRunCommand({ env: process.env }),
      limits: {
        toolOutputBytesMax: setup.outputBytesMax ?? 10_000,
        shellTimeoutMs: setup.shellTimeoutMs ?? 60_000,
      },
    },
    signal: setup.signal ?? new AbortController().signal,
    state: () => EMPTY_STATE,
    ask: async () => ({ outcome: 'failed', reason: 'Nobody is there.' }),
    progress: (text) => shown.push(text),
  };
}

async function call(args: object, setup: Setup = {}) {
  const shown: string[] = [];
  const parsed = tool.parse(JSON.stringify(args));
  if (!parsed.ok) throw new Error(parsed.problem);
  const { content, isError } = await tool.run(parsed.input, contextOf(setup, shown));
  const [block] = content;
  return { text: block?.type === 'text' ? block.text : undefined, isError, shown };
}

test('gives the output of a command that ran in the working directory', async () => {
  expect(await call({ command: 'pwd; echo err >&2' })).toMatchObject({
    text: `${cwd}\nerr\n`,
    isError: false,
  });
});

test('says so when there is no output', async () => {
  expect(await call({ command: 'true' })).toMatchObject({ text: '(no output)', isError: false });
});

test.each([
  ['exit 3', '[exit code 3]'],
  ['echo out; exit 1', 'out\n[exit code 1]'],
  ['printf out; exit 1', 'out\n[exit code 1]'],
  ['kill -KILL $$', '[ended by SIGKILL]'],
])('`%s` is a failure that says how', async (command, text) => {
  expect(await call({ command })).toMatchObject({ text, isError: true });
});

test('a time-out is told with its length, from the call or from the limits', async () => {
  const command = 'echo out; sleep 1000';
  expect(await call({ command, timeout_ms: 300 })).toMatchObject({
    text: 'out\n[timed out after 300 ms; ended by SIGTERM]',
    isError: true,
  });
  expect((await call({ command }, { shellTimeoutMs: 200 })).text).toContain('after 200 ms');
});

test('a time-out counts although the command exits with 0', async () => {
  const command = `trap 'exit 0' TERM; while true; do sleep 0.02; done`;
  const { text, isError } = await call({ command, timeout_ms: 300 });
  expect(text).toMatch(/\[timed out after 300 ms\]$/);
  expect(isError).toBe(true);
});

test('a cancelled command keeps the output it had', async () => {
  const result = await call(
    { command: 'echo out; sleep 1000' },
    { signal: AbortSignal.timeout(300) },
  );
  expect(result).toMatchObject({
    text: 'out\n[cancelled by the user; ended by SIGTERM]',
    isError: true,
  });
});

test('a shell that is not there is told in words', async () => {
  const missing = createBashTool({ shell: '/no/such/shell' });
  const result = await missing.run({ command: 'true' }, contextOf({}));
  expect(result).toEqual({
    content: [
      {
        type: 'text',
        text:
          '[could not be started: `/no/such/shell`, or the interpreter it names, was not found. ' +
          'Is it installed and on PATH?]',
      },
    ],
    isError: true,
  });
});

test('output is shown while the command runs, whole each time, never after its end', async () => {
  const { text, shown } = await call({
    command: 'for i in 1 2 3 4 5 6; do echo $i; sleep 0.15; done',
  });
  const atEnd = shown.length;
  expect(text).toBe('1\n2\n3\n4\n5\n6\n');
  expect(atEnd).toBeGreaterThan(1);
  for (const piece of shown) expect(text?.startsWith(piece)).toBe(true);
  await sleep(250);
  expect(shown.length).toBe(atEnd);
});

test('a last burst of output is not shown after the end', async () => {
  const { shown } = await call({ command: 'echo late' });
  await sleep(250);
  expect(shown).toEqual([]);
});

test('a flood of output is shown now and then, not piece by piece', async () => {
  const { shown } = await call({
    command: 'i=0; while [ $i -lt 300 ]; do echo line; sleep 0.001; i=$((i+1)); done',
  });
  expect(shown.length).toBeLessThan(100);
});

test('50 MB of output come back as head and tail, and whole in a file', async () => {
  const { text, isError } = await call(
    { command: 'echo first; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo last' },
    { callId: 'call_big', outputBytesMax: 2000 },
  );
  const path = join(cwd, 'spill', 'call_big.txt');
  expect(isError).toBe(false);
  expect(text).toMatch(/^first\nx+\n\[… 49998012 bytes left out; .* …\]\nx+\nlast\n$/);
  expect(text).toContain(path);
  expect(readFileSync(path).length).toBe(50_000_012);
});

test('escapes for a terminal are left out', async () => {
  const { text } = await call({ command: String.raw`printf '\033[31mred\033[0m\n'` });
  expect(text).toBe('red\n');
});

test('a character that the end of the output cut off is marked', async () => {
  expect((await call({ command: String.raw`printf 'a\342\202'` })).text).toBe('a\uFFFD');
});

test.each([
  [{ command: 'a\0b' }, 'NUL'],
  [{ command: ' ' }, 'blank'],
  [{ command: 'true', timeout_ms: 600_001 }, '600000'],
  [{ command: 'true', timeout_ms: 0 }, 'timeout_ms'],
  [{ command: 'true', shell: 'zsh' }, 'shell'],
])('%j is refused, and the reason is told', (args, words) => {
  const parsed = tool.parse(JSON.stringify(args));
  expect(parsed.ok ? '' : parsed.problem.split('\nCall it again')[0]).toContain(words);
});

test.each([
  ['npm test', '`npm test`'],
  ['\n  make\nmake install', '`make…`'],
  ['echo `date`', '`` echo `date` ``'],
  ['a\tb\u001B[1m', '`a b [1m`'],
  ['😀'.repeat(101), `\`${'😀'.repeat(100)}…\``],
])('the card of %j is titled %s', (command, title) => {
  const card = tool.card({ command, description: 'ignored' }, cwd);
  expect(card).toMatchObject({ title, kind: 'execute' });
  // What the title leaves out stands in the content: it is what a person permits.
  const whole = title.includes(command) || command.includes('`');
  expect(card.content).toEqual(whole ? undefined : [{ type: 'text', text: command }]);
});

test('declares what it may do', () => {
  expect(tool.effects).toEqual({
    readOnly: false,
    destructive: true,
    idempotent: false,
    openWorld: true,
  });
});
