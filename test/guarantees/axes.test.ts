import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk/unstable';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { APPROVALS } from '../../src/loop/permission.ts';
import { findSandbox } from '../../src/sandbox/find.ts';
import { SANDBOX_MODES } from '../../src/sandbox/policy.ts';
import { type Editor, openEditor, resultOf } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

const confined = 'sandbox' in (await findSandbox(process.env));

let server: ModelServer;
let editor: Editor;
let asked = 0;
beforeAll(async () => {
  server = await startModelServer();
  editor = await openEditor({
    server,
    answers: {
      async permission() {
        asked += 1;
        return { outcome: { outcome: 'selected', optionId: 'allow_once' } };
      },
    },
  });
});
afterAll(async () => {
  await editor.close();
  await server.close();
});

const setOption = (configId: string, value: string) =>
  editor.context.request(methods.agent.session.setConfigOption, {
    sessionId: editor.sessionId,
    configId,
    value,
  });

// Inside a sandbox the first process is the sandbox itself, with everything it was started with.
const SHOW_SANDBOX = String.raw`tr '\0' ' ' < /proc/1/cmdline`;

interface Seen {
  tools: string[];
  sandbox: string;
  decision: string;
}

let calls = 0;

/** One turn with a command under these three: what of it came out how. */
async function see(mode: string, sandbox: string, approval: string): Promise<Seen> {
  await editor.setMode(mode);
  await setOption('sandbox', sandbox);
  await setOption('approval', approval);
  const id = `call_${++calls}`;
  server.enqueue(call('bash', { command: SHOW_SANDBOX }, id), answer({ text: 'Done.' }));
  const before = asked;
  await editor.prompt('Go');
  const { text } = resultOf(editor.log(), id);
  const ran = editor.log().some((one) => one.type === 'tool/call' && one.callId === id);
  return {
    tools: (server.requests.at(-1)?.body.tools ?? []).map((tool) => tool.function.name),
    sandbox: ran ? text.replaceAll(SHOW_SANDBOX, '').trim() : 'did not run',
    decision: ran ? (asked > before ? 'asked' : 'ran') : 'refused',
  };
}

const DECISIONS: Record<string, Record<string, string>> = {
  'read-only': { ask: 'asked', auto: 'ran', never: 'ran' },
  'workspace-write': { ask: 'asked', auto: 'ran', never: 'ran' },
  off: { ask: 'asked', auto: 'asked', never: 'refused' },
};

describe.skipIf(!confined)('mode, sandbox and approval', () => {
  test('each decides on its own matter, and on nothing else', async () => {
    const argvs = new Map<string, Set<string>>();
    const tools = new Map<string, Set<string>>();
    for (const mode of ['default', 'plan']) {
      for (const sandbox of SANDBOX_MODES) {
        for (const approval of APPROVALS) {
          const seen = await see(mode, sandbox, approval);
          expect(seen.decision, `${mode}, ${sandbox}, ${approval}`).toBe(
            DECISIONS[sandbox]?.[approval],
          );
          add(tools, mode, seen.tools.join(' '));
          if (seen.decision !== 'refused') add(argvs, sandbox, seen.sandbox);
        }
      }
    }
    const only = (from: Map<string, Set<string>>, key: string) => [...(from.get(key) ?? [])];
    expect([...argvs.values(), ...tools.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1, 1]);
    expect(only(argvs, 'workspace-write')[0]).toContain(`--bind-try ${editor.cwd}`);
    expect(only(argvs, 'read-only')[0]).toContain(`--ro-bind-try ${editor.cwd}`);
    expect(only(argvs, 'off')[0]).not.toContain('--ro-bind');
    expect(only(tools, 'plan')[0]).toBe(`${only(tools, 'default')[0]} exit_plan_mode`);
  });

  test.each(['default', 'plan'])(
    'in %s, read-only keeps a real command from writing',
    async (mode) => {
      await editor.setMode(mode);
      await setOption('sandbox', 'read-only');
      await setOption('approval', 'auto');
      const id = `write_${mode}`;
      server.enqueue(
        answer({
          calls: [
            { id, name: 'bash', arguments: { command: `echo x > ${id}` } },
            { id: `${id}_file`, name: 'write', arguments: { path: id, content: 'x' } },
          ],
        }),
        answer({ text: 'Done.' }),
      );
      await editor.prompt('Go');
      expect(resultOf(editor.log(), id)).toMatchObject({ isError: true });
      expect(resultOf(editor.log(), id).text).toContain('it ran in the sandbox: read-only');
      expect(resultOf(editor.log(), `${id}_file`).text).toContain('The sandbox is read-only');
      expect(existsSync(join(editor.cwd, id))).toBe(false);
    },
  );

  test('outside the sandbox is a question, and never a fallback', async () => {
    await editor.setMode('default');
    await setOption('sandbox', 'workspace-write');
    await setOption('approval', 'auto');
    const beside = join(editor.cwd, '..', 'beside');
    const write = { command: `echo x > ${beside}` };
    server.enqueue(
      answer({
        calls: [
          { id: 'inside', name: 'bash', arguments: write },
          { id: 'outside', name: 'bash', arguments: { ...write, outside_sandbox: true } },
        ],
      }),
      answer({ text: 'Done.' }),
    );
    const before = asked;
    await editor.prompt('Go');
    expect(resultOf(editor.log(), 'inside').isError).toBe(true);
    expect(resultOf(editor.log(), 'outside').isError).toBe(false);
    expect(asked - before).toBe(1);
    expect(JSON.stringify(editor.frames)).toContain('Outside the sandbox');
    expect(existsSync(beside)).toBe(true);
  });
});

function add(to: Map<string, Set<string>>, key: string, value: string): void {
  to.set(key, (to.get(key) ?? new Set()).add(value));
}

test('where nothing confines, only off is offered, it is said why, and every command asks', async () => {
  const env = { PATH: '/nowhere', SHELL: '/bin/sh' };
  const bare = await openEditor({ server, env });
  const { configOptions } = await bare.context.request(methods.agent.session.setConfigOption, {
    sessionId: bare.sessionId,
    configId: 'approval',
    value: 'auto',
  });
  expect(configOptions.find(({ id }) => id === 'sandbox')).toMatchObject({
    currentValue: 'off',
    options: [{ value: 'off' }],
  });
  const said = JSON.stringify(bare.updates());
  expect(said).toContain('No sandbox: bubblewrap is not installed');
  server.enqueue(call('bash', { command: ':' }, 'bare'), answer({ text: 'Done.' }));
  await bare.prompt('Go');
  expect(JSON.stringify(bare.frames)).toContain('session/request_permission');
  await bare.close();
});
