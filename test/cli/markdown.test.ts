import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMarkdown } from '../../src/cli/markdown.ts';

const NAMES: Record<string, string> = { 1: 'b', 2: 'd', 3: 'i', 4: 'u', 9: 's', 36: 'c' };

/** What a terminal shows of the pieces, with looks as tags. */
function render(...pieces: string[]): string {
  let written = '';
  const markdown = createMarkdown((text) => {
    written += text;
  });
  for (const piece of pieces) markdown.push(piece);
  markdown.end();
  return written
    .replace(/\x1b\[0;([\d;]+)m/g, (_, codes: string) => {
      return `<${codes
        .split(';')
        .map((code) => NAMES[code] ?? code)
        .join('')}>`;
    })
    .replaceAll('\x1b[0m', '</>');
}

/** Each character with its looks. */
function toCells(shown: string): string[] {
  let looks = '';
  return [...shown.matchAll(/<([a-z]*|\/)>|([^])/gu)].flatMap(([, look, char]) => {
    if (look !== undefined) looks = look;
    return char === undefined ? [] : [`${looks}${char}`];
  });
}

describe('markdown in a terminal', () => {
  test.each([
    ['**bold** and `code` ~~gone~~', '<b>bold</> and <c>code</> <s>gone</>'],
    ['*it* and _it_.', '<id>*<i>it<d>*</> and <id>_<i>it<d>_</>.'],
    ['***both*** **`code`**', '<bi>both</> <bc>code</>'],
    ['``co`de``', '<c>co`de</>'],
    ['这是**重点**内容', '这是<b>重点</>内容'],
    ['# Head\n## Two\ntext', '<bu>Head</>\n<b>Two</>\ntext'],
    ['- a\n  * b\n1. **c**\n', '• a\n  • b\n1. <b>c</>\n'],
    ['> quoted **b**\n> - c', '<d>│ </>quoted <b>b</>\n<d>│ </>• c'],
    ['```ts\n*x*\n``\n```\n*a*.', '<d>```ts</>\n<c>*x*</>\n<c>``</>\n<d>```</>\n<id>*<i>a<d>*</>.'],
    ['[text](http://x.y/a_b_c) on', '[text](<u>http://x.y/a_b_c</>) on'],
    ['| **a** |\n|---|\n', '| **a** |\n|---|\n'],
    ['---\n', '<d>---</>\n'],
    ['**over\nlines** end', '<b>over</>\n<b>lines</> end'],
    ['\\*plain\\* C:\\dir', '*plain* C:\\dir'],
  ])('%j', (text, shown) => expect(render(text)).toBe(shown));

  test.each([
    'snake_case_name, __init__ and a*b*c',
    '2 ** 3 * 4',
    'src/**/*.ts, *.ts and **/*.js',
    '#5 is no heading, 2024 no item, -5 no bullet',
    'a | b',
    'x[0] * y[1] * z',
    '*',
    '**',
    '`',
    '100 % of 3. and ```',
  ])('%j is no markup and stays', (text) => expect(render(text)).toBe(text));

  test('what is never closed ends with its paragraph, code with its line', () => {
    expect(render('**open\n\nnext')).toBe('<b>open</>\n\nnext');
    expect(render('`open\nnext')).toBe('<c>open</>\nnext');
    expect(render('```\nopen')).toBe('<d>```</>\n<c>open</>');
  });

  test('text is shown as it comes', () => {
    let written = '';
    const markdown = createMarkdown((text) => {
      written += text;
    });
    markdown.push('Some **bo');
    expect(written).toBe('Some \x1b[0;1mbo\x1b[0m');
    markdown.push('ld** text');
    expect(written).toBe('Some \x1b[0;1mbo\x1b[0m\x1b[0;1mld\x1b[0m text');
  });

  test('no matter where it is cut, the same is shown', () => {
    const part = fc.constantFrom('*', '**', '_', '`', '```', '~~', '\n', ' ', '- ', '#', '>', '|');
    const text = fc.array(fc.oneof(part, fc.constantFrom('a', '1.', '😀', '\\', '](', ')', 'é')));
    fc.assert(
      fc.property(text, (parts) => {
        const whole = parts.join('');
        expect(toCells(render(...whole))).toEqual(toCells(render(whole)));
      }),
    );
  });

  test('nothing in a text is a command for the terminal', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        '\x1b',
        '[',
        '2',
        'J',
        '\x9b',
        '\r',
        '\u202e',
        '\u2066',
        '\x07',
        'a',
        '*',
        '`',
        '\n',
      ),
    });
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = render(text).replaceAll('\n', '');
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});
