import { afterEach, beforeEach, expect, test } from 'vitest';
import { methods } from '@agentclientprotocol/sdk/unstable';
import { type Editor, openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';

let server: ModelServer;
let editor: Editor;
beforeEach(async () => {
  server = await startModelServer(() => answer({ text: 'Done.' }));
  editor = await openEditor({
    server,
    files: {
      '.planfold/commands/review.md': '---\ndescription: Review\n---\nReview $ARGUMENTS closely.',
      '.planfold/commands/plan.md': 'Never used: the name is taken.',
    },
  });
});
afterEach(async () => {
  await editor.close();
  await server.close();
});

const lastSent = () => server.requests.at(-1)?.body.messages.at(-1)?.content;

function advertised(): unknown[] {
  const update = editor.updates().findLast((one) => 'availableCommands' in one);
  const commands = (update?.['availableCommands'] ?? []) as { name: string }[];
  return commands.map(({ name }) => name);
}

test('the commands are advertised after new, load, resume and fork', async () => {
  const { session } = methods.agent;
  const stored = { sessionId: editor.sessionId, cwd: editor.cwd, mcpServers: [] };
  await editor.prompt('Hi');
  const names = ['mode', 'plan', 'compact', 'status', 'help', 'review'];
  expect(advertised()).toEqual(names);
  for (const method of [session.load, session.resume, session.fork] as const) {
    const before = editor.updates().length;
    await editor.context.request<object>(method, stored);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const more = editor.updates().slice(before);
    expect(more.some((one) => one.sessionUpdate === 'available_commands_update')).toBe(true);
  }
});

test("a project's prompt is sent in place of its name; the command line is not", async () => {
  await editor.prompt('/review src/a.ts');
  expect(lastSent()).toBe('Review src/a.ts closely.');
  expect(JSON.stringify(server.requests)).not.toContain('/review');
});

test.each(['/mode', '/mode plan', '/mode nonsense', '/status', '/help', '/plan'])(
  '%s is answered here',
  async (line) => {
    await editor.prompt(line);
    expect(server.requests).toEqual([]);
    expect(editor.updates().some((one) => one.sessionUpdate === 'agent_message_chunk')).toBe(true);
  },
);

test.each(['/etc/hosts is odd', '/unknown command', '/ alone', ' // comment'])(
  '%s is no command, and sent',
  async (line) => {
    await editor.prompt(line);
    expect(lastSent()).toBe(line);
  },
);
