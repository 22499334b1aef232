import { createServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { proxyFetch } from '../../src/model/proxy.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';

let server: ModelServer;
let proxy: { url: string; seen: string[]; close: () => void };
beforeEach(async () => {
  server = await startModelServer(() => ['hello']);
  proxy = await startProxy();
});
afterEach(async () => {
  proxy.close();
  await server.close();
});

/** A proxy that tunnels, and forwards what comes without a tunnel. */
async function startProxy() {
  const seen: string[] = [];
  const listening = createServer((incoming, response) => {
    seen.push(incoming.url ?? '');
    const { method, headers } = incoming;
    const forwarded = httpRequest(incoming.url ?? '', { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(forwarded);
  });
  listening.on('connect', (incoming, socket) => {
    seen.push(incoming.url ?? '');
    const [host, port] = (incoming.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () => {
      listening.closeAllConnections();
      listening.close();
    },
  };
}

const post = { method: 'POST', body: '{}' };

test('without a proxy in the environment there is none', () => {
  expect(proxyFetch({})).toBeUndefined();
  expect(proxyFetch({ HTTPS_PROXY: ' ' })).toBeUndefined();
});

test.each(['HTTP_PROXY', 'http_proxy'])('%s is gone by', async (name) => {
  const fetch = proxyFetch({ [name]: proxy.url });
  const response = await fetch?.(server.url, post);
  expect(await response?.text()).toBe('hello');
  expect(proxy.seen.join()).toContain(new URL(server.url).host);
});

test('NO_PROXY names what is reached directly', async () => {
  const fetch = proxyFetch({ HTTP_PROXY: proxy.url, NO_PROXY: 'localhost,127.0.0.1' });
  const response = await fetch?.(server.url, post);
  expect(await response?.text()).toBe('hello');
  expect(proxy.seen).toEqual([]);
});
