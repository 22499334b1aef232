import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Heard } from '../../src/model/failure.ts';
import { listen, readRetryAfter } from '../../src/model/listen.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  server = createServer((request, response) => {
    request.resume();
    answer(response);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('silence before the first byte ends the request', async () => {
  const heard: Heard = {};
  const url = await serve(() => {});
  await expect(listen(fetch, heard, 30)(url)).rejects.toThrow();
  expect(heard.unreached).toMatchObject({ message: 'nothing was heard for 0.03 seconds' });
});

test('silence in the middle ends the stream', async () => {
  const url = await serve((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {}\n\n');
  });
  const response = await listen(fetch, {}, 50)(url);
  await expect(response.text()).rejects.toThrow('nothing was heard');
});

test.each(['data: [DONE]\n\n', 'data:[DONE]\r\n\r\n', ': x\ndata: [DONE]'])(
  'the end is the end, whatever stays open behind it: %j',
  async (end) => {
    const url = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"a":"[DONE]"}\n\n');
      setTimeout(() => response.write(end.slice(0, 8)), 10);
      setTimeout(() => response.write(end.slice(8)), 20);
    });
    const response = await listen(fetch, {})(url);
    expect(await response.text()).toBe(`data: {"a":"[DONE]"}\n\n${end}`);
  },
);

test.each([
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after-ms': '150', 'retry-after': '2' }, 150],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }, 9000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{}, undefined],
])('%j asks to wait for %s ms', (headers, ms) => {
  expect(readRetryAfter(new Headers(headers as Record<string, string>), 1000)).toBe(ms);
});
