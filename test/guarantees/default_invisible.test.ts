import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIds, systemClock } from '../../src/base/clock.ts';
import { AGENT } from '../../src/base/version.ts';
import { defaultConfig } from '../../src/config/load.ts';
import { DEFAULT_LIMITS } from '../../src/config/schema.ts';
import { LOG_VERSION } from '../../src/log/events.ts';
import { createLog } from '../../src/log/log.ts';
import { createStore } from '../../src/log/store.ts';
import type { Agent } from '../../src/loop/agent.ts';
import { instructionsSection } from '../../src/loop/instructions.ts';
import { createKnobs } from '../../src/loop/knobs.ts';
import { baseSections } from '../../src/loop/prompt.ts';
import { runTurn } from '../../src/loop/turn.ts';
import { createMachine } from '../../src/session/machine.ts';
import { baseTools } from '../../src/session/open.ts';
import type { Grounds } from '../../src/tools/workspace.ts';
import { environmentFor, makeWorkspace, openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const FILES = { 'a.txt': 'one\n', 'AGENTS.md': 'Be brief.\n' };
const SCRIPT = [
  () => call('read', { path: 'a.txt' }),
  () => call('exit_plan_mode', { plan: '# No' }),
  () => answer({ text: 'One.' }),
  () => answer({ text: 'Two.' }),
];

/** Two turns of an agent that was put together without a line of the modes code. */
async function bodiesWithoutModes(): Promise<{ cwd: string; bodies: string[] }> {
  const { home, cwd } = makeWorkspace(FILES);
  const machine = createMachine(environmentFor(home, server));
  const log = createLog(
    {
      type: 'session/created',
      v: LOG_VERSION,
      id: 's',
      cwd,
      additionalDirectories: [],
      agent: AGENT,
    },
    { store: createStore(join(home, 'log.jsonl')), clock: systemClock, sinks: [] },
  );
  const confines = 'sandbox' in (await machine.sandbox());
  const models = machine.openModels(defaultConfig());
  const knobs = createKnobs({ models, confines, defaults: {} }, log);
  const grounds: Grounds = {
    cwd,
    roots: [cwd],
    spillDirectory: join(home, 'spill'),
    openFiles: machine.openFiles,
    runCommand: machine.openRunCommand([]),
    secrets: [],
    confines,
    network: false,
    limits: DEFAULT_LIMITS,
  };
  const agent: Agent = {
    knobs,
    tools: () => baseTools(machine),
    settle: async () => {},
    sections: [
      ...baseSections({ ...machine, cwd, additionalDirectories: [] }),
      instructionsSection(cwd, { own: machine.instructions, secrets: [] }),
    ],
    boundaries: [],
    grounds,
    limits: DEFAULT_LIMITS,
    client: {
      ask: async () => ({ outcome: 'cancel' }),
      onDelta() {},
      onCompaction() {},
      onProgress() {},
    },
    ids: createIds(),
  };
  const from = server.requests.length;
  server.enqueue(...SCRIPT.map((make) => make()));
  const { signal } = new AbortController();
  for (const text of ['First', 'Second']) {
    const prompt = { messageId: text, content: [{ type: 'text' as const, text }] };
    await runTurn(agent, log, { prompt, signal });
  }
  return { cwd, bodies: server.requests.slice(from).map(({ text }) => text) };
}

test('in default mode each request has the bytes it has without the modes code', async () => {
  const without = await bodiesWithoutModes();
  const from = server.requests.length;
  const editor = await openEditor({ server, files: FILES });
  server.enqueue(...SCRIPT.map((make) => make()));
  await editor.prompt('First');
  await editor.prompt('Second');
  await editor.close();
  const bodies = server.requests.slice(from).map(({ text }) => text);
  expect(bodies).toHaveLength(4);
  expect(bodies.map((text) => text.replaceAll(editor.cwd, '{cwd}'))).toEqual(
    without.bodies.map((text) => text.replaceAll(without.cwd, '{cwd}')),
  );
});

test('after plan and back, the header is that of a session that never planned', async () => {
  const headerOf = (text: string, cwd: string) => {
    const { messages, ...header } = JSON.parse(text.replaceAll(cwd, '{cwd}'));
    return JSON.stringify({ ...header, system: messages[0] });
  };
  const headers: string[] = [];
  for (const modes of [[], ['plan', 'default']]) {
    const editor = await openEditor({ server });
    for (const mode of modes) {
      await editor.setMode(mode);
      server.enqueue(answer({ text: 'Yes.' }));
      await editor.prompt('Hello');
    }
    server.enqueue(answer({ text: 'Yes.' }));
    await editor.prompt('Hello');
    headers.push(headerOf(server.requests.at(-1)?.text ?? '', editor.cwd));
    await editor.close();
  }
  expect(headers[1]).toBe(headers[0]);
});

test('within one mode each request extends the bytes of the one before', async () => {
  const from = server.requests.length;
  const editor = await openEditor({ server, files: FILES });
  server.enqueue(...SCRIPT.map((make) => make()));
  await editor.prompt('First');
  await editor.prompt('Second');
  await editor.close();
  const bodies = server.requests.slice(from).map(({ text }) => text);
  for (const [index, text] of bodies.slice(1).entries()) {
    const before = bodies[index]?.replace(/\]\}$/, ',') ?? '';
    expect(text.startsWith(before)).toBe(true);
  }
});
