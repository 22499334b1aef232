import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTool } from '../../src/tools/read.ts';
import { createTestContext, textOf } from '../harness/toolContext.ts';

function withFile(content: string | Buffer, limits?: { toolOutputBytesMax: number }) {
  const context = createTestContext(limits);
  writeFileSync(join(context.cwd, 'file.txt'), content);
  return {
    ...context,
    read: async (args: object = {}) => context.run(readTool, { path: 'file.txt', ...args }),
  };
}

test('lines are numbered from 1, with a tab', async () => {
  const { read } = withFile('one\n\nthree');
  expect(textOf(await read())).toBe('     1\tone\n     2\t\n     3\tthree');
});

test('a part is read by offset and limit, and what is left is told', async () => {
  const { read } = withFile('a\nb\nc\nd\n');
  expect(textOf(await read({ offset: 2, limit: 2 }))).toBe(
    '     2\tb\n     3\tc\n(1 more lines; go on with offset 4)',
  );
  expect(textOf(await read({ offset: 4 }))).toBe('     4\td');
});

test('an offset behind the end names the number of lines', async () => {
  const { read } = withFile('a\nb\n');
  const outcome = await read({ offset: 3 });
  expect(outcome.isError).toBe(true);
  expect(textOf(outcome)).toContain('has 2 lines; there is no line 3');
});

test('an empty file says so', async () => {
  expect(textOf(await withFile('').read())).toBe('(empty file)');
});

test('a long file is cut at a line, a long line with its length', async () => {
  const many = withFile('0123456789\n'.repeat(1000), { toolOutputBytesMax: 200 });
  const text = textOf(await many.read());
  expect(Buffer.byteLength(text)).toBeLessThan(300);
  expect(text).toMatch(/more lines; go on with offset \d+\)$/);
  const wide = withFile('x'.repeat(5000));
  expect(textOf(await wide.read())).toContain('… (5000 characters)');
});

test('an image is shown as one, by what is in it', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9',
    'base64',
  );
  const outcome = await withFile(png).read();
  const data = png.toString('base64');
  expect(outcome.content).toContainEqual({ type: 'image', mimeType: 'image/png', data });
});

test.each([
  ['image/jpeg', '\xff\xd8\xff\xe0'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF\n\0\0\0WEBP'],
])('%s is known too', async (mimeType, head) => {
  const content = Buffer.from(`${head}\0`, 'latin1');
  const data = content.toString('base64');
  const outcome = await withFile(content).read();
  expect(outcome.content).toContainEqual({ type: 'image', mimeType, data });
});

test('an image that is too large is told by its size', async () => {
  const outcome = await withFile(Buffer.from(`GIF89a${'\0'.repeat(5 << 20)}`)).read();
  expect(outcome.isError).toBe(true);
  expect(textOf(outcome)).toContain('an image of 5242886 bytes');
});

test('a line is not cut inside a letter', async () => {
  const text = textOf(await withFile(`x${'🙅'.repeat(1500)}`).read());
  expect(text).toBe(`     1\tx${'🙅'.repeat(999)}… (3001 characters)`);
});

test('a pipe is refused, not waited for', async () => {
  const { cwd, run } = withFile('');
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  const outcome = await run(readTool, { path: 'pipe' });
  expect(outcome.isError).toBe(true);
  expect(textOf(outcome)).toContain('no regular file');
});

test('what cannot be read is told with a way on', async () => {
  const { cwd, run } = withFile('x');
  mkdirSync(join(cwd, 'src'));
  expect(textOf(await run(readTool, { path: 'src' }))).toContain('Use glob');
  const near = await run(readTool, { path: 'FILE.md' });
  expect(textOf(near)).toContain('there is no such file');
  expect(textOf(near)).toContain('file.txt');
  expect(textOf(await withFile(Buffer.from([0, 1])).read())).toContain('binary');
});

test('what was read is known by its digest', async () => {
  const { cwd, read } = withFile('x\n');
  expect((await read()).facts).toEqual([
    {
      type: 'file/seen',
      path: join(cwd, 'file.txt'),
      sha256: '73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac',
    },
  ]);
});

test('a wrong name is answered with the nearest, a wrong directory with what is there', async () => {
  const { cwd, run } = withFile('x');
  for (const name of ['alpha.ts', 'beta.ts', 'README']) writeFileSync(join(cwd, name), '');
  const misspelt = textOf(await run(readTool, { path: 'alhpa.ts' }));
  expect(misspelt).toMatch(/no such file\. In that directory: alpha\.ts\.$/);
  const nowhere = textOf(await run(readTool, { path: 'no/such/alpha.ts' }));
  expect(nowhere).toContain(`The deepest directory of its path that exists is ${cwd}.`);
});

test('what was not shown does not count as read', async () => {
  const { read } = withFile('a\n');
  expect((await read({ offset: 9 })).facts).toBeUndefined();
});
