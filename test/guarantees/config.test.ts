import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foldMode } from '../../src/log/folds.ts';
import { openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';
import { startStdio } from '../harness/stdio.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const FILE = '.planfold/config.json';
const withConfig = (config: unknown) => ({ [FILE]: JSON.stringify(config) });

test('an override of the plan section reaches the request, and keeps the label', async () => {
  const section = 'Plan as the crow flies.';
  const editor = await openEditor({ server, files: withConfig({ modes: { plan: { section } } }) });
  await editor.setMode('plan');
  server.enqueue(answer({ text: 'Yes.' }));
  await editor.prompt('Hello');
  const body = server.requests.at(-1)?.body;
  expect(body?.messages[0]?.content).toContain(section);
  expect(body?.messages[0]?.content).not.toContain('You are in plan mode');
  expect(body?.tools?.map((tool) => tool.function.name)).toContain('exit_plan_mode');
  expect(JSON.stringify(editor.frames)).toContain('"name":"Plan"');
  await editor.close();
});

test('a second mode works from end to end without a line of code', async () => {
  const review = { section: 'Review, and change nothing.', name: 'Review', description: 'Looks.' };
  const editor = await openEditor({ server, files: withConfig({ modes: { review } }) });
  const listed = JSON.stringify(editor.frames);
  expect(listed).toContain('{"id":"review","name":"Review","description":"Looks."}');
  await editor.setMode('review');
  server.enqueue(call('exit_plan_mode', { plan: '# No' }), answer({ text: 'Seen.' }));
  await editor.prompt('Look');
  const { messages, tools } = server.requests.at(-1)?.body ?? { messages: [], tools: [] };
  expect(messages[0]?.content).toContain(review.section);
  // The exit tool belongs to plan alone.
  expect(tools?.map((tool) => tool.function.name)).not.toContain('exit_plan_mode');
  expect(JSON.stringify(messages)).toContain('Unknown tool `exit_plan_mode`');
  expect(foldMode(editor.log())).toBe('review');
  await editor.close();
});

describe('a broken file is told to the editor, and the agent lives', () => {
  test.each<[string, string, string[]]>([
    ['broken JSON', '{"modes": ', ['not JSON']],
    ['`default` as a key', '{"modes":{"default":{"section":"x"}}}', ['modes.default', 'reserved']],
    ['an unknown key', '{"modes":{"plan":{"section":"x","tools":[]}}}', ['modes.plan.tools', '[]']],
    ['access', '{"modes":{"x":{"section":"y","access":"ro"}}}', ['modes.x.access', '"ro"']],
    ['an empty section', '{"modes":{"x":{"section":" "}}}', ['modes.x.section', '" "']],
  ])('%s', async (_, text, words) => {
    const agent = startStdio();
    mkdirSync(join(agent.cwd, '.planfold'));
    writeFileSync(join(agent.cwd, FILE), text);
    expect((await agent.initialize()).result).toBeDefined();
    const { error } = await agent.request('session/new', { cwd: agent.cwd, mcpServers: [] });
    for (const word of [join(agent.cwd, FILE), ...words]) expect(error?.message).toContain(word);
    writeFileSync(join(agent.cwd, FILE), '{}');
    expect(await agent.newSession()).not.toBe('undefined');
    agent.child.stdin?.end();
    await agent.exited;
  });
});

test('an environment that names no endpoint is told to the editor as well', async () => {
  const agent = startStdio({ OPENAI_BASE_URL: 'not a url' });
  await agent.initialize();
  const { error } = await agent.request('session/new', { cwd: agent.cwd, mcpServers: [] });
  expect(error?.message).toContain('OPENAI_BASE_URL');
  expect(error?.message).toContain('not a url');
  agent.child.stdin?.end();
  await agent.exited;
});
