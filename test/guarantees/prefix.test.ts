import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { methods } from '@agentclientprotocol/sdk/unstable';
import { openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

/** How much of a request the one after it begins with; both end in brackets that close. */
function isExtended(earlier: string, later: string): boolean {
  return later.startsWith(earlier.slice(0, earlier.lastIndexOf(']')));
}

test('each request extends the one before it byte for byte, until the header changes', async () => {
  const editor = await openEditor({ server, files: { 'a.txt': 'one\n', 'AGENTS.md': 'Brief.\n' } });
  server.enqueue(
    answer({ reasoning: 'Hm', calls: [{ id: 'a', name: 'read', arguments: { path: 'a.txt' } }] }),
    call('bash', { command: 'date +%N; git status' }),
    answer({ text: 'One.' }),
    call('todo_write', { todos: [{ content: 'x', status: 'pending' }] }),
    answer({ text: 'Two.' }),
  );
  await editor.prompt('First');
  await editor.prompt('Second');
  const stored = { sessionId: editor.sessionId, cwd: editor.cwd, mcpServers: [] };
  await editor.context.request(methods.agent.session.load, stored);
  server.enqueue(answer({ text: 'Three.' }));
  await editor.prompt('Third');
  const sent = server.requests.map(({ text }) => text);
  const extended = sent.slice(1).map((later, index) => isExtended(sent[index] ?? '', later));
  expect(extended).toEqual([true, true, true, true, true]);

  await editor.setMode('plan');
  server.enqueue(answer({ text: 'Four.' }));
  await editor.prompt('Fourth');
  const last = server.requests.at(-1)?.text ?? '';
  expect(isExtended(sent.at(-1) ?? '', last)).toBe(false);
  await editor.close();
});

describe('the thoughts of an answer', () => {
  const config = (sendsReasoning: boolean) => ({
    providers: {
      lab: { baseURL: server.url, apiKeyEnv: 'LAB', models: { thinker: { sendsReasoning } } },
    },
    options: { model: 'lab/thinker' },
  });
  const env = { LAB: 'k', OPENAI_BASE_URL: '', PLANFOLD_MODEL: '' };

  test.each([
    [true, 'Look first.'],
    [false, undefined],
  ])('come back with its calls where the provider wants them: %s', async (sends, thoughts) => {
    const files = { 'a.txt': 'one\n' };
    const editor = await openEditor({ server, files, config: config(sends), env });
    const read = { id: 'a', name: 'read', arguments: { path: 'a.txt' } };
    server.enqueue(
      answer({ reasoning: 'Look first.', calls: [read] }),
      answer({ calls: [{ ...read, id: 'b' }] }),
      answer({ reasoning: 'Done.', text: 'One.' }),
      answer({ text: 'Two.' }),
    );
    await editor.prompt('Go');
    await editor.prompt('On');
    const messages = server.requests.at(-1)?.body.messages ?? [];
    const kept = messages.flatMap((one) =>
      one.role === 'assistant' ? [one.reasoning_content] : [],
    );
    // With the calls alone; empty where there were none, for then they are missed as well.
    expect(kept).toEqual([thoughts, sends ? '' : undefined, undefined]);
    await editor.close();
  });
});
