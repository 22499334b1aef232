import { type ContentBlock, methods } from '@agentclientprotocol/sdk/unstable';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Editor, openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';

const PNG = 'iVBORw0KGgo=';

let server: ModelServer;
let editor: Editor;
beforeEach(async () => {
  server = await startModelServer(() => answer({ text: 'Done.' }));
});
afterEach(async () => {
  await editor.close();
  await server.close();
});

const prompt = (blocks: ContentBlock[]) =>
  editor.context.request(methods.agent.session.prompt, {
    sessionId: editor.sessionId,
    prompt: blocks,
  });

test('several blocks reach the model in their order, and come back with a load', async () => {
  editor = await openEditor({ server });
  const blocks: ContentBlock[] = [
    { type: 'text', text: 'Look at' },
    { type: 'image', mimeType: 'image/png', data: PNG },
    { type: 'resource_link', uri: 'file:///w/a.ts', name: 'a.ts' },
    { type: 'resource', resource: { uri: 'file:///w/b.ts', text: 'let b;' } },
    { type: 'resource', resource: { uri: 'file:///w/c.png', mimeType: 'image/png', blob: PNG } },
    { type: 'resource', resource: { uri: 'file:///w/d.bin', blob: 'AAAA' } },
  ];
  await prompt(blocks);
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
  expect(server.requests[0]?.body.messages.at(-1)?.content).toEqual([
    { type: 'text', text: 'Look at' },
    image,
    { type: 'text', text: '[a.ts](file:///w/a.ts)' },
    { type: 'text', text: '<resource uri="file:///w/b.ts">\nlet b;\n</resource>' },
    image,
    { type: 'text', text: '[file:///w/d.bin](file:///w/d.bin)' },
  ]);
  const stored = { sessionId: editor.sessionId, cwd: editor.cwd, mcpServers: [] };
  await editor.context.request(methods.agent.session.load, stored);
  const replayed = editor
    .updates()
    .filter((one) => one.sessionUpdate === 'user_message_chunk')
    .map((one) => (one['content'] as ContentBlock).type);
  expect(replayed).toEqual([
    'text',
    'image',
    'resource_link',
    'resource',
    'image',
    'resource_link',
  ]);
});

test.each<[string, ContentBlock, string]>([
  ['audio', { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }, 'audio'],
  ['another image', { type: 'image', mimeType: 'image/tiff', data: PNG }, 'image/tiff'],
  ['no base64', { type: 'image', mimeType: 'image/png', data: 'a b' }, 'base64'],
])('%s is refused, and nothing is logged', async (_, block, words) => {
  editor = await openEditor({ server });
  await expect(prompt([{ type: 'text', text: 'Look' }, block])).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining(words),
  });
  expect(editor.log()).toHaveLength(1);
});

test('a model that reads no images is sent none', async () => {
  const providers = {
    lab: { baseURL: server.url, apiKeyEnv: 'LAB', models: { blind: { images: false } } },
  };
  editor = await openEditor({
    server,
    files: { 'a.png': Buffer.from(PNG, 'base64').toString('latin1') },
    config: { providers, options: { model: 'lab/blind' } },
    env: { LAB: 'k', OPENAI_BASE_URL: '', PLANFOLD_MODEL: '' },
  });
  const image: ContentBlock = { type: 'image', mimeType: 'image/png', data: PNG };
  await expect(prompt([image])).rejects.toMatchObject({
    message: expect.stringContaining('lab/blind reads no images'),
  });
});
