/**
 * A local OpenAI-compatible model that streams by script: the last user message picks the answer.
 * `stream N` is answered by N chunks, everything else by a short sentence in a few.
 * The usage counts bytes for tokens: those of the request, and those it has in common with the one
 * before, which is what a provider could have in its cache.
 * Prints `{"port":N}` once it listens on 127.0.0.1; ends with its stdin.
 */
import { createServer } from 'node:http';

const SHORT = ['All', ' is', ' well', '.'];

let before = '';

const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    if (request.method !== 'POST' || !request.url?.endsWith('/chat/completions')) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"Only POST …/chat/completions is here."}}');
      return;
    }
    const text = Buffer.concat(pieces).toString();
    const cached = commonPrefix(before, text);
    before = text;
    answer(JSON.parse(text), response, { bytes: text.length, cached });
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port to listen on.');
  process.stdout.write(`${JSON.stringify({ port: address.port })}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();

/**
 * @param {{ messages: { role: string, content: string | { text?: string }[] }[] }} body
 * @param {import('node:http').ServerResponse} response
 * @param {{ bytes: number, cached: number }} size
 */
async function answer(body, response, { bytes, cached }) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const chunks = script(lastUserText(body.messages));
  send(response, { choices: [choice({ role: 'assistant', content: '' })] });
  for (let index = 0; index < chunks; index++) {
    const content = SHORT[index % SHORT.length];
    // A model does not wait for its reader for ever, yet it does not fill the memory either.
    if (!send(response, { choices: [choice({ content })] })) {
      await new Promise((resolve) => response.once('drain', resolve));
    }
  }
  send(response, { choices: [choice({}, 'stop')] });
  const usage = {
    prompt_tokens: bytes,
    completion_tokens: chunks,
    total_tokens: chunks + bytes,
    prompt_tokens_details: { cached_tokens: cached },
  };
  send(response, { choices: [], usage });
  response.end('data: [DONE]\n\n');
}

/**
 * @param {string} a
 * @param {string} b
 */
function commonPrefix(a, b) {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/**
 * @param {{ role: string, content: string | { text?: string }[] }[]} messages
 * @returns {string}
 */
function lastUserText(messages) {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n');
}

/** @param {string} text how many chunks the answer to it has */
function script(text) {
  const asked = /\bstream (\d+)\b/.exec(text)?.[1];
  return asked === undefined ? SHORT.length : Number(asked);
}

/**
 * @param {object} delta
 * @param {string | null} [finish]
 */
function choice(delta, finish = null) {
  return { index: 0, delta, finish_reason: finish };
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {object} fields
 * @returns {boolean} false when the next chunk should wait for `drain`
 */
function send(response, fields) {
  const chunk = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'bench',
    ...fields,
  };
  return response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}
