/**
 * The bare agent that the benchmark measures against: ACP on stdio by hand, one streamed chat
 * completion a prompt, the conversation in memory. No SDK, no log, no tools, no checks.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const BASE_URL = process.env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1';
const HEADERS = {
  'content-type': 'application/json',
  authorization: `Bearer ${process.env['OPENAI_API_KEY'] ?? ''}`,
};

/** @type {Map<string, { role: string, content: string }[]>} */
const sessions = new Map();

/** @type {Record<string, (params: any) => unknown>} */
const methods = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  'session/new': () => {
    const sessionId = `raw-${sessions.size + 1}`;
    sessions.set(sessionId, []);
    return { sessionId };
  },
  'session/prompt': prompt,
  'session/load': load,
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  const run = methods[method];
  if (id === undefined) return;
  if (run === undefined) {
    send({ id, error: { code: -32601, message: `Unknown method ${method}.` } });
    return;
  }
  try {
    send({ id, result: await run(params) });
  } catch (error) {
    send({ id, error: { code: -32603, message: String(error) } });
  }
});

/** Writes the frames that it finds in a file: what a `session/load` comes to at the least. */
function load() {
  const lines = readFileSync(process.env['BENCH_FRAMES'] ?? '', 'utf8')
    .trimEnd()
    .split('\n');
  for (const frame of lines.map((line) => JSON.parse(line))) send(frame);
  return {};
}

/** @param {{ sessionId: string, prompt: { text: string }[] }} params */
async function prompt({ sessionId, prompt: blocks }) {
  const messages = sessions.get(sessionId) ?? [];
  messages.push({ role: 'user', content: blocks.map(({ text }) => text).join('\n') });
  const response = await fetch(`${BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ model: process.env['PLANFOLD_MODEL'], stream: true, messages }),
  });
  if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
  let answer = '';
  for await (const data of events(response.body)) {
    const text = JSON.parse(data).choices[0]?.delta.content;
    if (!text) continue;
    answer += text;
    const update = {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text },
    };
    send({ method: 'session/update', params: { sessionId, update } });
  }
  messages.push({ role: 'assistant', content: answer });
  return { stopReason: 'end_turn' };
}

/** @param {AsyncIterable<Uint8Array>} body the data of each server-sent event up to `[DONE]` */
async function* events(body) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      const data = line.slice('data: '.length);
      if (data !== '[DONE]') yield data;
    }
  }
}

/** @param {object} message */
function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
