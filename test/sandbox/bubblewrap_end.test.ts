import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, test } from 'vitest';
import { endAllGroups } from '../../src/sandbox/group.ts';
import {
  confined,
  hasBubblewrap,
  makeVisible,
  removeVisible,
  startConfined,
} from '../harness/confined.ts';

afterAll(removeVisible);

// The pids of a sandbox are not those outside, so that its processes are known by their words.
let count = 0;
const nextWord = () => String(1000 + process.pid) + String(count++).padStart(3, '0');

function survivors(word: string): string {
  const { stdout } = spawnSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter((line) => line.includes(`sleep ${word}`) && !line.startsWith('Z'))
    .join('\n');
}

async function expectNone(word: string): Promise<void> {
  await expect.poll(() => survivors(word), { timeout: 5000 }).toBe('');
}

const leave = (word: string) =>
  `setsid sleep ${word} & setsid setsid sh -c 'trap "" TERM HUP; sleep ${word}; sleep ${word}' &
  sleep 0.2; echo ready;`;

describe.skipIf(!hasBubblewrap)('nothing outlives a confined command', () => {
  test('that ends by itself', async () => {
    const word = nextWord();
    const { output } = await confined(`${leave(word)} exit 3`, { roots: [makeVisible()] });
    expect(output).toBe('ready\n');
    await expectNone(word);
  });

  test('that times out', async () => {
    const word = nextWord();
    const { result } = startConfined(
      `${leave(word)} sleep ${word}`,
      { roots: [makeVisible()] },
      { timeoutMs: 700 },
    );
    expect(await result).toMatchObject({ timedOut: true });
    await expectNone(word);
  });

  test.each(['abort', 'way out'])('that is ended: %s', async (how) => {
    const word = nextWord();
    const controller = new AbortController();
    const started = startConfined(
      `${leave(word)} sleep ${word}`,
      { roots: [makeVisible()] },
      { signal: controller.signal },
    );
    await expect.poll(started.output, { timeout: 5000 }).toBe('ready\n');
    expect(survivors(word)).not.toBe('');
    if (how === 'abort') controller.abort();
    else endAllGroups();
    await started.result;
    await expectNone(word);
  });

  test('and none sees a process outside', async () => {
    const script = `kill -0 ${process.pid} 2>/dev/null || echo none; ls /proc | grep -c '^[0-9]'`;
    const { output } = await confined(script, { roots: [makeVisible()] });
    expect(output).toMatch(/^none\n[1-6]\n$/);
  });

  test('the exit code is that of the command', async () => {
    expect((await confined('exit 3', { roots: [makeVisible()] })).exitCode).toBe(3);
  });
});
