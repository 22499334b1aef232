import { expect, test } from 'vitest';
import { toToolName } from '../../src/mcp/names.ts';

const none: ReadonlySet<string> = new Set();

test('a plain name is kept', () => {
  expect(toToolName('files', 'read_file', none)).toBe('mcp__files__read_file');
});

test.each([
  ['a b', 'c'],
  ['files', 'größe'],
  ['files', 'n'.repeat(100)],
  ['s'.repeat(100), 't'],
  ['', ''],
])('what no provider would take is told apart, and the same each time: %j %j', (server, tool) => {
  const name = toToolName(server, tool, none);
  expect(name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
  expect(toToolName(server, tool, none)).toBe(name);
});

test('names that would be the same are told apart', () => {
  expect(toToolName('a', 'x y', none)).not.toBe(toToolName('a', 'x_y', none));
  expect(toToolName('a__b', 'c', none)).toBe(toToolName('a', 'b__c', none));
  const taken = new Set([toToolName('a__b', 'c', none)]);
  expect(taken.has(toToolName('a', 'b__c', taken))).toBe(false);
  const twice = new Set(['mcp__a__b', toToolName('a', 'b', new Set(['mcp__a__b']))]);
  expect(twice.has(toToolName('a', 'b', twice))).toBe(false);
});
