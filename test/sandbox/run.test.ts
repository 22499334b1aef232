import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Command } from '../../src/sandbox/command.ts';
import { endAllGroups } from '../../src/sandbox/group.ts';
import { createRunCommand } from '../../src/sandbox/run.ts';

const cwd = mkdtempSync(join(tmpdir(), 'planfold-run-'));
const runCommand = createRunCommand({ env: { PATH: process.env['PATH'], ONLY: 'this' } });

function start(script: string, options: Partial<Command> = {}) {
  let output = '';
  const result = runCommand({
    argv: ['/bin/sh', '-c', script],
    cwd,
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    onOutput: (bytes) => {
      output += Buffer.from(bytes).toString('latin1');
    },
    ...options,
  });
  return { result, output: () => output };
}

async function run(script: string, options: Partial<Command> = {}) {
  const started = start(script, options);
  return { result: await started.result, output: started.output() };
}

/** The pids that a script printed, one a line behind `pid `. */
function pidsOf(output: string): number[] {
  return [...output.matchAll(/^pid (\d+)$/gm)].map((match) => Number(match[1]));
}

/** A process is gone once it has ended, even where nobody has reaped it yet. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return !stdout.trim().startsWith('Z') && stdout.trim() !== '';
}

async function expectGone(pids: readonly number[]) {
  expect(pids.length).toBeGreaterThan(0);
  await expect.poll(() => pids.filter(isAlive), { timeout: 5000 }).toEqual([]);
}

async function waitFor(condition: () => boolean) {
  await expect.poll(condition, { timeout: 10_000 }).toBe(true);
}

test('reports exit code and both streams', async () => {
  const { result, output } = await run('echo out; sleep 0.1; echo err >&2; exit 3');
  expect(result).toEqual({
    exitCode: 3,
    signal: undefined,
    timedOut: false,
    cancelled: false,
  });
  expect(output).toBe('out\nerr\n');
});

test('passes output on while the command runs', async () => {
  const started = start('echo early; until [ -e go ]; do sleep 0.02; done; echo late');
  await waitFor(() => started.output() === 'early\n');
  writeFileSync(join(cwd, 'go'), '');
  expect((await started.result).exitCode).toBe(0);
  expect(started.output()).toBe('early\nlate\n');
});

test('gives the command the environment it was made with and nothing else', async () => {
  const { output } = await run('echo "$ONLY|$HOME"; pwd');
  expect(output).toBe(`this|\n${cwd}\n`);
});

test('the command reads an empty stdin instead of waiting', async () => {
  expect((await run('cat; echo done')).output).toBe('done\n');
});

test('reports the signal that ended the command', async () => {
  const { result } = await run('kill -KILL $$');
  expect(result).toMatchObject({ exitCode: undefined, signal: 'SIGKILL', timedOut: false });
});

test('background processes end with the command', async () => {
  const { result, output } = await run('sleep 1000 & echo "pid $!"; echo done');
  expect(result.exitCode).toBe(0);
  expect(output).toMatch(/done\n$/);
  await expectGone(pidsOf(output));
});

test('background processes that hold no pipe end with the command', async () => {
  const { output } = await run(
    `sh -c 'trap "" TERM HUP; sleep 1000; sleep 1000' >/dev/null 2>&1 & echo "pid $!"`,
  );
  await expectGone(pidsOf(output));
});

test.skipIf(process.platform !== 'linux')(
  'a process that left the group cannot hold the call open',
  async () => {
    const { result, output } = await run(
      `setsid sh -c 'echo "pid $$"; exec sleep 1000' & sleep 0.2; exit 0`,
    );
    expect(result.exitCode).toBe(0);
    const [pid] = pidsOf(output);
    expect(pid !== undefined && isAlive(pid)).toBe(true);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  },
);

test('a time-out ends the whole group', async () => {
  const { result, output } = await run('echo "pid $$"; sleep 1000 & echo "pid $!"; wait', {
    timeoutMs: 300,
  });
  expect(result).toMatchObject({ signal: 'SIGTERM', timedOut: true, cancelled: false });
  await expectGone(pidsOf(output));
});

test('a command that ignores SIGTERM is killed', async () => {
  const { result, output } = await run(
    `trap '' TERM; echo "pid $$"; sleep 1000 & echo "pid $!"; while true; do sleep 1; done`,
    { timeoutMs: 300 },
  );
  expect(result).toMatchObject({ exitCode: undefined, signal: 'SIGKILL', timedOut: true });
  await expectGone(pidsOf(output));
});

test('a command can time out and still exit with 0', async () => {
  const { result } = await run(`trap 'exit 0' TERM; while true; do sleep 0.02; done`, {
    timeoutMs: 300,
  });
  expect(result).toEqual({ exitCode: 0, signal: undefined, timedOut: true, cancelled: false });
});

test('a time-out longer than any timer is no time-out', async () => {
  const { result } = await run('sleep 0.2', { timeoutMs: Number.MAX_SAFE_INTEGER });
  expect(result).toMatchObject({ exitCode: 0, timedOut: false });
});

test('an abort ends the whole group', async () => {
  const controller = new AbortController();
  const started = start('echo "pid $$"; sleep 1000 & echo "pid $!"; wait', {
    signal: controller.signal,
  });
  await waitFor(() => pidsOf(started.output()).length === 2);
  controller.abort();
  const result = await started.result;
  expect(result).toMatchObject({ signal: 'SIGTERM', timedOut: false, cancelled: true });
  await expectGone(pidsOf(started.output()));
});

test('an aborted signal starts nothing', async () => {
  const { result } = await run('touch started', { signal: AbortSignal.abort() });
  expect(result).toMatchObject({ exitCode: undefined, cancelled: true });
  expect(() => readFileSync(join(cwd, 'started'))).toThrow('ENOENT');
});

test('the way out of the process ends every command', async () => {
  const started = [1, 2].map(() => start('echo "pid $$"; sleep 1000 & echo "pid $!"; wait'));
  await waitFor(() => started.every(({ output }) => pidsOf(output()).length === 2));
  endAllGroups();
  for (const { result, output } of started) {
    expect(await result).toMatchObject({ signal: 'SIGKILL', cancelled: false });
    await expectGone(pidsOf(output()));
  }
});

test('all of a large output arrives', async () => {
  let bytes = 0;
  const { result } = await run('head -c 50000000 /dev/zero', {
    onOutput: (piece) => {
      bytes += piece.length;
    },
  });
  expect(result.exitCode).toBe(0);
  expect(bytes).toBe(50_000_000);
});

const failures: [string, Partial<Command>, string][] = [
  [
    'a missing program',
    { argv: ['no-such-program'] },
    '`no-such-program`, or the interpreter it names, was not found. Is it installed and on PATH?',
  ],
  ['a program that is none', { argv: [cwd] }, `\`${cwd}\` may not be executed (EACCES).`],
  [
    'a missing directory',
    { cwd: join(cwd, 'gone') },
    `The working directory ${join(cwd, 'gone')} is not a directory that exists.`,
  ],
  [
    'arguments that are too long',
    { argv: ['/bin/sh', '-c', ' '.repeat(4_000_000)] },
    'The command line is longer than the system allows (E2BIG). Put the data into a file instead.',
  ],
];

test.each(failures)('%s is told in words', async (_, options, words) => {
  const { result } = await run('true', options);
  expect(result).toEqual({
    exitCode: undefined,
    signal: undefined,
    timedOut: false,
    cancelled: false,
    startError: words,
  });
});

test('what no system call takes is told in words too', async () => {
  const { result } = await run('a\0b');
  expect(result.startError).toMatch(/^`\/bin\/sh` could not be started: .*null/);
});
