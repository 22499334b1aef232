import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { findLog } from '../../src/session/library.ts';
import { verifyLog } from '../../src/session/verify.ts';
import { makeWorkspace } from '../harness/editor.ts';
import { startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';
import { type StdioAgent, startStdio } from '../harness/stdio.ts';
import { canMount, fill, mountSmall, unmount } from '../log/smallDisk.ts';

let mounted: string | undefined;
let agent: StdioAgent | undefined;
afterEach(async () => {
  agent?.child.kill('SIGKILL');
  await agent?.exited;
  if (mounted !== undefined) unmount(mounted);
  mounted = undefined;
});

// Where nothing can be mounted the disk cannot be filled; the log's own tests say so as well.
describe.runIf(canMount())('a data directory on a full disk', () => {
  test('the turn fails clearly, the process lives, and goes on when there is room', async () => {
    const server = await startModelServer(() => answer({ text: 'Yes.' }));
    const { home } = makeWorkspace();
    mounted = join(home, 'data');
    mountSmall(mounted);
    const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: server.url };
    agent = startStdio(env, undefined, { home });
    await agent.initialize();
    const sessionId = await agent.newSession();
    expect((await agent.prompt(sessionId, 'Hello')).result?.['stopReason']).toBe('end_turn');

    const free = fill(mounted);
    const full = await agent.prompt(sessionId, 'x'.repeat(8000));
    expect(full.error?.message).toContain('no space is left on the device');
    const flip = await agent.request('session/set_mode', { sessionId, modeId: 'plan' });
    expect(flip.error ?? flip.result).toBeDefined();

    free();
    const next = await agent.prompt(sessionId, 'And now?');
    expect(next.result?.['stopReason']).toBe('end_turn');
    const path = findLog(mounted, sessionId);
    expect(verifyLog(path)).toMatchObject({ problems: [], tornBytes: 0 });
    const stored = { sessionId, cwd: agent.cwd, mcpServers: [] };
    expect((await agent.request('session/load', stored)).result).toBeDefined();
    await server.close();
  });
});

test('a data directory that cannot be written is told, and the process lives', async () => {
  const { home, cwd } = makeWorkspace({ file: '' });
  // No privilege helps to make a directory inside a file.
  const dataDir = join(cwd, 'file');
  agent = startStdio({ PLANFOLD_HOME: dataDir }, undefined, { home });
  await agent.initialize();
  const { error } = await agent.request('session/new', { cwd: agent.cwd, mcpServers: [] });
  expect(error?.message).toContain(`Could not create the session log ${dataDir}`);
  expect((await agent.request('session/list', {})).result).toEqual({ sessions: [] });
});
