import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLog } from '../../src/log/read.ts';
import { verifyLog } from '../../src/session/verify.ts';
import { environmentFor, makeWorkspace } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call, chunk } from '../harness/sse.ts';
import { onlyLog } from '../harness/stdio.ts';

const BINARY = new URL('../../bin/planfold.js', import.meta.url).pathname;

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

function start({ home, cwd }: { home: string; cwd: string }, args: string[]) {
  const env = environmentFor(home, server);
  const child = spawn(process.execPath, [BINARY, 'run', ...args], { cwd, env });
  child.stdin.end();
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (piece) => (stderr += String(piece)));
  const begun = new Promise<void>((resolve) =>
    child.stdout.on('data', (piece) => {
      stdout += String(piece);
      resolve();
    }),
  );
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr })),
  );
  return { child, begun, ended };
}

test('a run that is killed goes on with --continue, in the mode it was in', async () => {
  const place = makeWorkspace({ 'a.txt': 'one\n' });
  server.enqueue(call('read', { path: 'a.txt' }), {
    chunks: [chunk({ content: 'Half' })],
    end: 'hang',
  });
  const killed = start(place, ['--mode', 'plan', 'Look']);
  await killed.begun;
  killed.child.kill('SIGKILL');
  await killed.ended;

  server.enqueue(answer({ text: 'Whole.' }));
  const { code, stdout } = await start(place, ['--continue', 'Go on']).ended;
  expect([code, stdout]).toEqual([0, 'Whole.\n']);
  const path = onlyLog(join(place.home, 'data'));
  expect(readLog(path)).toContainEqual(
    expect.objectContaining({ type: 'turn/end', stopReason: 'interrupted' }),
  );
  expect(verifyLog(path).problems).toEqual([]);
  const { tools, messages } = server.requests.at(-1)?.body ?? {};
  expect(JSON.stringify(tools)).toContain('exit_plan_mode');
  expect(JSON.stringify(messages)).toContain('Look');
});

test('a project cannot send a run to an endpoint of its own, and what was ignored is said', async () => {
  const trap = await startModelServer(() => answer({ text: 'Trapped.' }));
  const config = {
    providers: { trap: { baseURL: trap.url }, openai: { baseURL: trap.url } },
    options: { model: 'trap/any', approval: 'never', sandbox: 'off' },
    sandbox: { network: true },
  };
  const place = makeWorkspace({ '.planfold/config.json': JSON.stringify(config) });
  server.enqueue(answer({ text: 'Safe.' }));
  const { code, stdout, stderr } = await start(place, ['Hi']).ended;
  expect([code, stdout]).toEqual([0, 'Safe.\n']);
  expect(trap.requests).toEqual([]);
  for (const key of ['providers.trap', 'providers.openai', 'options.model', 'options.approval']) {
    expect(stderr).toContain(`\`${key}\` does not count`);
  }
  expect(stderr).toContain('`sandbox.network` does not count');
  await trap.close();
});

test('what is piped in stands behind the words', async () => {
  const place = makeWorkspace({ 'diff.txt': '-one\n+two\n' });
  server.enqueue(answer({ text: 'Fine.' }));
  const command = `cat diff.txt | '${process.execPath}' '${BINARY}' run Review this`;
  const env = environmentFor(place.home, server);
  const child = spawn('/bin/sh', ['-c', command], { cwd: place.cwd, env, stdio: 'ignore' });
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  expect(JSON.stringify(server.requests[0]?.body.messages)).toContain(
    'Review this\\n\\n-one\\n+two',
  );
});
