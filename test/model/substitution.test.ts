import { expect, test } from 'vitest';
import { createSubstitution } from '../../src/model/substitution.ts';

test.each([
  ['a path', { cwd: '/tmp/x' }, '/tmp/x/a.js in /tmp/x', '{{cwd}}/a.js in {{cwd}}'],
  ['the longer value first', { up: '/h', cwd: '/h/w' }, '/h/w/a, /h/b', '{{cwd}}/a, {{up}}/b'],
  ['a name that is another value', { cwd: '/t', who: 'cwd' }, '/t cwd', '{{cwd}} {{who}}'],
  ['what JSON escapes', { cwd: 'C:\\w"ö' }, 'C:\\w"ö\\a', '{{cwd}}\\a'],
  ['what patterns mean otherwise', { cwd: '/a.b$&$1(c)' }, '/a.b$&$1(c) /aXb', '{{cwd}} /aXb'],
  ['no value at all', { cwd: '' }, 'abc', 'abc'],
])('%s', (...[, values, actual, recorded]) => {
  const { toRecorded, toActual } = createSubstitution(values);
  expect(JSON.parse(toRecorded(JSON.stringify({ text: actual })))).toEqual({ text: recorded });
  expect(JSON.parse(toActual(JSON.stringify({ text: recorded })))).toEqual({ text: actual });
});
