import { methods, type SessionConfigOption } from '@agentclientprotocol/sdk/unstable';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Editor, openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';

let server: ModelServer;
let editor: Editor;
beforeEach(async () => {
  server = await startModelServer(() => answer({ text: 'Hello.' }));
});
afterEach(async () => {
  await editor.close();
  await server.close();
});

const open = (baseURL: string) =>
  openEditor({
    server,
    config: {
      providers: { local: { baseURL, models: {} } },
      options: { model: 'local/first' },
    },
    env: { OPENAI_API_KEY: '', OPENAI_BASE_URL: '', PLANFOLD_MODEL: '' },
  });

function offered(): string[] {
  const update = editor.updates().findLast((one) => one.sessionUpdate === 'config_option_update');
  const options = (update?.['configOptions'] ?? []) as SessionConfigOption[];
  const model = options.find(({ id }) => id === 'model');
  return (model as { options?: { value: string }[] })?.options?.map(({ value }) => value) ?? [];
}

test('a provider that nobody described is asked for its models behind the answer', async () => {
  editor = await open(server.url);
  while (offered().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(offered()).toEqual(['local/first', 'local/test-model']);
  const { session } = methods.agent;
  const choice = { sessionId: editor.sessionId, configId: 'model', value: 'local/test-model' };
  await editor.context.request(session.setConfigOption, choice);
  await editor.prompt('Hi');
  expect(server.requests.at(-1)?.body.model).toBe('test-model');
  // A resumed session has its model before the list is there again.
  const stored = { sessionId: editor.sessionId, cwd: editor.cwd, mcpServers: [] };
  const resumed = await editor.context.request<object>(session.resume, stored);
  const { configOptions } = resumed as { configOptions: SessionConfigOption[] };
  expect(configOptions.find(({ id }) => id === 'model')?.currentValue).toBe('local/test-model');
});

test('one that does not answer costs nothing', async () => {
  editor = await open('http://127.0.0.1:9/v1');
  await editor.prompt('/status');
  expect(offered()).toEqual([]);
});
