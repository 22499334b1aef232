import { expect, test } from 'vitest';
import { createStdioTransport } from '../../src/mcp/stdio.ts';

const program = {
  command: process.execPath,
  args: ['-e', 'process.stderr.write("ready"); setInterval(() => {}, 1000)'],
  env: {},
  cwd: '/',
};

test('what was closed before it was started does not start', async () => {
  const transport = createStdioTransport(program);
  await transport.close();
  await expect(transport.start()).rejects.toThrow('closed before');
});

test('a program that is not there is an error, and sending to one that has gone as well', async () => {
  const missing = createStdioTransport({ ...program, command: '/nowhere/program' });
  await expect(missing.start()).rejects.toThrow('ENOENT');
  const transport = createStdioTransport(program);
  const closed = new Promise<void>((resolve) => {
    Object.assign(transport, { onclose: resolve });
  });
  await transport.start();
  while (transport.stderr() !== 'ready') await new Promise((resolve) => setTimeout(resolve, 5));
  await transport.close();
  await closed;
  await expect(transport.send({ jsonrpc: '2.0', method: 'x' })).rejects.toThrow('gone');
});
