import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foldMode, foldPendingMode } from '../../src/log/folds.ts';
import { readLog } from '../../src/log/read.ts';
import type { RequestBody } from '../../src/model/types.ts';
import { verifyLog } from '../../src/session/verify.ts';
import { checkCalls, checkTurns } from '../harness/invariants.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';
import { type Answer, onlyLog, type StdioAgent, startStdio } from '../harness/stdio.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(respond);
});
afterAll(() => server.close());

const TEXT = 'export const answer = 41;\n';

/** A model that does its work by what it sees: plans in plan mode, else edits once, then says so. */
function respond({ messages, tools }: RequestBody): string[] {
  if (tools?.some((tool) => tool.function.name === 'exit_plan_mode')) {
    return call('exit_plan_mode', { plan: '# Correct the answer' });
  }
  const results = messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []));
  // A result that a crash took is not missed for long: the text is not there any more.
  if (results.some((text) => /Edited|does not occur/.test(text))) return answer({ text: 'Done.' });
  return call('edit', { path: 'a.js', old_string: '41', new_string: '42' });
}

const person: Answer = ({ method }) =>
  method === 'elicitation/create'
    ? { result: { action: 'accept', content: { decision: 'approve' } } }
    : { result: { outcome: { outcome: 'selected', optionId: 'allow_once' } } };

function makeHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-kill-')));
  mkdirSync(join(home, 'workspace'));
  writeFileSync(join(home, 'workspace', 'a.js'), TEXT);
  return home;
}

async function start(home: string, killAfter?: number): Promise<StdioAgent> {
  const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: server.url };
  const options = { home, ...(killAfter === undefined ? {} : { killAfter }) };
  const agent = startStdio(env, undefined, options);
  agent.answerWith(person);
  return agent;
}

/** Runs the arc until it ends or the process is gone. */
async function runArc(agent: StdioAgent, mode: string): Promise<void> {
  const work = async () => {
    await agent.initialize({ elicitation: { form: {} } });
    const sessionId = await agent.newSession();
    await agent.request('session/set_mode', { sessionId, modeId: mode });
    await agent.prompt(sessionId, 'Correct it.');
    agent.child.stdin?.end();
  };
  await Promise.race([work(), agent.exited]);
  await agent.exited;
}

async function countLines(mode: string): Promise<number> {
  const home = makeHome();
  await runArc(await start(home), mode);
  return readLog(onlyLog(join(home, 'data'))).length;
}

describe.each([
  ['the approve arc', 'plan', 28],
  ['an edit arc', 'default', 17],
])('%s, killed after each event', (_, mode, lines) => {
  test('has as many events as are tried here', async () => {
    expect(await countLines(mode)).toBe(lines);
  });

  const points = Array.from({ length: lines }, (__, index) => index + 1);
  test.each(points)('line %i', async (killAfter) => {
    const home = makeHome();
    await runArc(await start(home, killAfter), mode);
    const path = onlyLog(join(home, 'data'));
    const before = readLog(path);
    expect(before).toHaveLength(killAfter);
    const approved = before.some((one) => one.type === 'answer' && one.outcome === 'approve');
    const planned = foldPendingMode(before) ?? foldMode(before);

    const agent = await start(home);
    await agent.initialize({ elicitation: { form: {} } });
    const [created] = before;
    const sessionId = created?.type === 'session/created' ? created.id : '';
    const open = { sessionId, cwd: agent.cwd, mcpServers: [] };
    const { result } = await agent.request('session/load', open);
    // The mode is what the log says, and only an approval that is logged has left plan.
    expect(result?.['modes']).toMatchObject({ currentModeId: planned });
    const survived = mode === 'plan' && before.length > 1 && !approved ? 'plan' : 'default';
    expect(planned).toBe(survived);

    const next = await agent.prompt(sessionId, 'Go on.');
    expect(next.result?.['stopReason']).toBe('end_turn');
    const reviews = agent.messages().filter(({ method }) => method === 'elicitation/create');
    expect(reviews).toHaveLength(survived === 'plan' ? 1 : 0);
    agent.child.stdin?.end();
    await agent.exited;

    const after = readLog(path);
    expect(after.slice(0, before.length)).toEqual(before);
    checkTurns(after);
    checkCalls(after);
    expect(verifyLog(path)).toMatchObject({ problems: [], tornBytes: 0 });
    expect(readFileSync(join(agent.cwd, 'a.js'), 'utf8')).toContain('42');
  });
});
