import { methods } from '@agentclientprotocol/sdk/unstable';
import { expect, test } from 'vitest';
import { openEditor } from '../harness/editor.ts';
import { startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';

test("the SDK's own client runs every method", async () => {
  const server = await startModelServer();
  const editor = await openEditor({ server });
  const { context, cwd, sessionId } = editor;
  const { session, authenticate, logout } = methods.agent;
  const stored = { sessionId, cwd, mcpServers: [] };

  expect(await context.request(authenticate, { methodId: 'environment' })).toEqual({});
  await context.request(session.setMode, { sessionId, modeId: 'plan' });
  const option = { sessionId, configId: 'mode', value: 'default' };
  expect(await context.request(session.setConfigOption, option)).toHaveProperty('configOptions');
  server.enqueue(answer({ text: 'Hello.' }));
  expect((await editor.prompt('Hi')).stopReason).toBe('end_turn');
  await editor.cancel();
  const listed = await context.request(session.list, { cwd });
  expect(listed.sessions).toMatchObject([{ sessionId, cwd, title: 'Hi' }]);
  expect(await context.request(session.close, { sessionId })).toEqual({});
  for (const method of [session.load, session.resume] as const) {
    expect(await context.request<object>(method, stored)).toHaveProperty('modes');
  }
  const fork = await context.request<{ sessionId: string }>(session.fork, stored);
  expect(fork.sessionId).not.toBe(sessionId);
  expect(await context.request(session.delete, { sessionId: fork.sessionId })).toEqual({});
  expect((await context.request(session.list, {})).sessions).toHaveLength(1);
  // The key of this agent is one of its environment, which is not its own to forget.
  await expect(context.request(logout, {})).rejects.toMatchObject({ code: -32000 });

  await editor.close();
  await server.close();
});
