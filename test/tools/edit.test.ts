import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { editTool } from '../../src/tools/edit.ts';
import { readTool } from '../../src/tools/read.ts';
import { writeTool } from '../../src/tools/write.ts';
import { createTestContext, textOf } from '../harness/toolContext.ts';

async function edited(content: string | Buffer, args: object) {
  const { cwd, run } = createTestContext();
  const path = join(cwd, 'file');
  writeFileSync(path, content);
  const outcome = await run(editTool, { path: 'file', ...args });
  return { path, outcome, text: textOf(outcome), after: readFileSync(path, 'latin1') };
}

describe('a text that is there once', () => {
  test('is replaced; the diff has both texts whole and the absolute path', async () => {
    const { path, outcome, after } = await edited('one\ntwo\n', {
      old_string: 'two',
      new_string: '2',
    });
    expect(after).toBe('one\n2\n');
    const diff = { type: 'diff', path, oldText: 'one\ntwo\n', newText: 'one\n2\n' };
    expect(outcome.content).toContainEqual(diff);
  });

  test('is replaced literally, whatever the new text looks like', async () => {
    const new_string = "$& $1 $$ $' \\n";
    const { after } = await edited('a b c', { old_string: 'b', new_string });
    expect(after).toBe(`a ${new_string} c`);
  });

  test('matches over lines in a file with CRLF, and the endings stay', async () => {
    const { after } = await edited('a\r\nb\r\nc\r\n', {
      old_string: 'a\nb',
      new_string: 'x\ny\nz',
    });
    expect(after).toBe('x\r\ny\r\nz\r\nc\r\n');
  });

  test('in a file of mixed endings leaves all others alone', async () => {
    const { after } = await edited('a\r\nb\nc', { old_string: 'b', new_string: 'B' });
    expect(after).toBe('a\r\nB\nc');
  });
});

describe('a text that is not there', () => {
  test('is answered with the nearest one and its line; nothing changes', async () => {
    const content = 'function alpha() {}\nfunction beta(x) { return x; }\n';
    const { outcome, text, after } = await edited(content, {
      old_string: 'function beta(y) { return y; }',
      new_string: '',
    });
    expect(outcome.isError).toBe(true);
    expect(text).toContain('at line 2');
    expect(text).toContain('function beta(x) { return x; }');
    expect(after).toBe(content);
  });

  test('is told when white space is all that differs', async () => {
    const { text } = await edited('if (a) {\n\tgo();\n}\n', {
      old_string: 'if (a) {\n    go();\n}',
      new_string: '',
    });
    expect(text).toContain('Only white space differs');
  });

  test('is shown with the numbers of its lines, the long ones cut', async () => {
    const content = `one\ntwo ${'foo(bar); '.repeat(100_000)}\n`;
    const { text } = await edited(content, { old_string: 'two foo(bar); baz', new_string: '' });
    expect(text).toContain(`at line 2.\n     2\ttwo ${'foo(bar); '.repeat(49)}`);
    expect(text.length).toBeLessThan(1000);
  });

  test('is found in a long file by the lines that are the same', async () => {
    const filler = Array.from({ length: 200_000 }, (_, at) => `filler ${at}`);
    const block = Array.from({ length: 50 }, (_, at) => `call(${at});`);
    const content = [...filler.slice(0, 123_457), ...block, ...filler].join('\n');
    const indented = block.map((line) => `  ${line}`).join('\n');
    const { text } = await edited(content, { old_string: indented, new_string: '' });
    expect(text).toContain('at line 123458. Only white space differs:');
    expect(text).toContain('(and 10 more lines)');
  });

  test('in a long file is looked for in bounded time', async () => {
    const { text } = await edited('some line of text here\n'.repeat(200_000), {
      old_string: 'nothing alike\n'.repeat(50),
      new_string: '',
    });
    expect(text).toContain('does not occur');
  });
});

describe('a text that is there more than once', () => {
  const content = 'x\ny\nx\nx\n';

  test('is refused with the number and the lines', async () => {
    const { text, after } = await edited(content, { old_string: 'x', new_string: 'z' });
    expect(text).toContain('occurs 3 times');
    expect(text).toContain('lines 1, 3, 4');
    expect(after).toBe(content);
  });

  test('is refused too where its places overlap', async () => {
    const args = { old_string: '}\n}', new_string: '}\nx\n}' };
    const { text, after } = await edited('a\n}\n}\n}\n', args);
    expect(text).toContain('occurs 2 times');
    expect(text).toContain('lines 2, 3;');
    expect(after).toBe('a\n}\n}\n}\n');
  });

  test('is named by its first twenty lines', async () => {
    const { text } = await edited('x\n'.repeat(30), { old_string: 'x', new_string: 'z' });
    expect(text).toContain('occurs 30 times');
    expect(text).toContain(', 19, 20, …; nothing');
  });

  test('is replaced everywhere when asked for', async () => {
    const args = { old_string: 'x', new_string: 'xx', replace_all: true };
    const { text, after } = await edited(content, args);
    expect(after).toBe('xx\ny\nxx\nxx\n');
    expect(text).toContain('in 3 places');
  });
});

test.each([
  [{ old_string: '', new_string: 'a' }, 'use write for a new file'],
  [{ old_string: 'a', new_string: 'a' }, 'nothing to change'],
  [{ old_string: 'a' }, 'new_string'],
])('%j does not fit', (args, words) => {
  const parsed = editTool.parse(JSON.stringify({ path: 'file', ...args }));
  expect(parsed.ok ? '' : parsed.problem).toContain(words);
});

test('a file that is not there is no file to edit', async () => {
  const { run } = createTestContext();
  const outcome = await run(editTool, { path: 'none', old_string: 'a', new_string: 'b' });
  expect(textOf(outcome)).toContain('Use write to create it');
});

describe.each([
  ['write', writeTool, { path: 'file', content: 'mine\n' }],
  ['edit', editTool, { path: 'file', old_string: 'theirs', new_string: 'mine' }],
])('%s on a file that changed since it was read', (_, tool, args) => {
  test('is refused, and works once it is read again', async () => {
    const { cwd, run } = createTestContext();
    const path = join(cwd, 'file');
    writeFileSync(path, 'first\n');
    await run(readTool, { path: 'file' });
    writeFileSync(path, 'theirs\n');
    const refused = await run(tool, args);
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('has changed since you last read it');
    expect(readFileSync(path, 'utf8')).toBe('theirs\n');
    await run(readTool, { path: 'file' });
    expect((await run(tool, args)).isError).toBe(false);
    // What was written is what was seen last: the next change needs no reading.
    const next = { path: 'file', old_string: 'mine', new_string: 'ours' };
    expect((await run(editTool, next)).isError).toBe(false);
  });
});

test('a file with bytes of an odd kind is edited after it was read, and keeps them', async () => {
  for (const content of ['a\r\r\nb\r\n', '\xef\xbb\xbfa\xe9b', '\xff\xfea\0b\0']) {
    const { cwd, run } = createTestContext();
    const path = join(cwd, 'file');
    writeFileSync(path, content, 'latin1');
    await run(readTool, { path });
    const outcome = await run(editTool, { path, old_string: 'b', new_string: 'c' });
    expect(outcome.isError).toBe(false);
    expect(readFileSync(path, 'latin1')).toBe(content.replace('b', 'c'));
  }
});

test('a diff of long texts has the part that changed', async () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index}`).join('\n');
  const { outcome } = await edited(lines, { old_string: 'line 20000', new_string: 'changed' });
  const diff = outcome.content.find((block) => block.type === 'diff');
  expect(diff?.type === 'diff' && diff.newText.split('\n').slice(0, 7)).toEqual([
    'line 19997',
    'line 19998',
    'line 19999',
    'changed',
    'line 20001',
    'line 20002',
    'line 20003',
  ]);
});
