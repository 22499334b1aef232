import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foldPendingMode } from '../../src/log/folds.ts';
import { findLog } from '../../src/session/library.ts';
import { verifyLog } from '../../src/session/verify.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';
import { type Message, permit, type StdioAgent, startStdio } from '../harness/stdio.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(() => answer({ text: 'Yes.' }));
});
afterAll(() => server.close());

const env = () => ({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: server.url });

/** A session in plan mode whose process was killed: after a prompt, or before there was any. */
async function killedInPlan(prompted: boolean): Promise<{ home: string; sessionId: string }> {
  const agent = startStdio(env());
  await agent.initialize({ elicitation: { form: {} } });
  const sessionId = await agent.newSession();
  await agent.request('session/set_mode', { sessionId, modeId: 'plan' });
  if (prompted) await agent.prompt(sessionId, 'Hello');
  agent.child.kill('SIGKILL');
  await agent.exited;
  return { home: agent.home, sessionId };
}

async function comeBack(home: string): Promise<StdioAgent> {
  const agent = startStdio(env(), undefined, { home });
  agent.answerWith(permit());
  await agent.initialize({ elicitation: { form: {} } });
  return agent;
}

function modeOf({ result }: Message): unknown {
  return (result?.['modes'] as { currentModeId?: unknown } | undefined)?.currentModeId;
}

const idle = [
  ['prompted', true],
  ['set while idle', false],
] as const;

describe.each(idle)('plan %s, then SIGKILL', (_, prompted) => {
  test.each(['session/load', 'session/resume', 'session/fork'])(
    '%s: still plan',
    async (method) => {
      const { home, sessionId } = await killedInPlan(prompted);
      const parent = findLog(`${home}/data`, sessionId);
      const before = readFileSync(parent);
      const agent = await comeBack(home);
      const opened = await agent.request(method, { sessionId, cwd: agent.cwd, mcpServers: [] });
      expect(modeOf(opened)).toBe('plan');
      const id = method === 'session/fork' ? String(opened.result?.['sessionId']) : sessionId;
      if (method === 'session/fork') {
        expect(id).not.toBe(sessionId);
        expect(readFileSync(parent).equals(before)).toBe(true);
      }
      await agent.prompt(id, 'Go on');
      const body = server.requests.at(-1)?.body;
      expect(body?.messages[0]?.content).toContain('You are in plan mode');
      expect(body?.tools?.map((tool) => tool.function.name)).toContain('exit_plan_mode');
      expect(JSON.stringify(body?.messages)).not.toContain('switched this session');
      expect(verifyLog(findLog(agent.dataDir, id)).problems).toEqual([]);
      if (method === 'session/fork') expect(readFileSync(parent).equals(before)).toBe(true);
      agent.child.kill('SIGKILL');
      await agent.exited;
    },
  );
});

test('an idle flip outlives the process, and the picker shows it', async () => {
  const { home, sessionId } = await killedInPlan(true);
  const agent = await comeBack(home);
  const open = { sessionId, cwd: agent.cwd, mcpServers: [] };
  await agent.request('session/load', open);
  await agent.request('session/set_mode', { sessionId, modeId: 'default' });
  agent.child.kill('SIGKILL');
  await agent.exited;
  const again = await comeBack(home);
  expect(modeOf(await again.request('session/load', open))).toBe('default');
  expect(foldPendingMode(again.log())).toBe('default');
  await again.prompt(sessionId, 'Go on');
  expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('to default mode');
  again.child.kill('SIGKILL');
  await again.exited;
});

test('a fork in the middle of a turn has the closed turns, and the parent goes on', async () => {
  const agent = startStdio(env());
  await agent.initialize();
  const sessionId = await agent.newSession();
  await agent.prompt(sessionId, 'First');
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  server.enqueue({ chunks: answer({ text: 'Late.' }), gate });
  const running = agent.prompt(sessionId, 'Second');
  await agent.until(({ method }) => method === 'session/update');
  const parent = findLog(agent.dataDir, sessionId);
  const before = readFileSync(parent);
  const forked = await agent.request('session/fork', { sessionId, cwd: agent.cwd, mcpServers: [] });
  expect(readFileSync(parent).subarray(0, before.length).equals(before)).toBe(true);
  const id = String(forked.result?.['sessionId']);
  await agent.prompt(id, 'Third');
  const said = server.requests
    .at(-1)
    ?.body.messages.map(({ content }) => content)
    .slice(1);
  expect(said).toEqual(['First', 'Yes.', 'Third']);
  release();
  expect((await running).result?.['stopReason']).toBe('end_turn');
  for (const one of [sessionId, id]) {
    expect(verifyLog(findLog(agent.dataDir, one)).problems).toEqual([]);
  }
  agent.child.kill('SIGKILL');
  await agent.exited;
});
