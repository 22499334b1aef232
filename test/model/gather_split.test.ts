import { expect, test } from 'vitest';
import { gatherSplit } from '../../src/model/gather_split.ts';

const event = (delta: object, index = 0) =>
  `data: ${JSON.stringify({ choices: [{ index, delta }] })}\n\n`;
const call = (index: number, piece: string) => ({
  tool_calls: [{ index, function: { arguments: piece } }],
});

test('a text that comes in pieces is gathered in the first of them, in each field by itself', () => {
  const chunks = [
    event({ content: 'in /ho' }),
    event(call(0, '{"path":"/home')),
    event({ content: 'me/' }),
    event(call(0, '/me/a.txt"}')),
    event({ content: 'me/a.txt' }),
    event(call(1, '/ho')),
  ];
  expect(
    gatherSplit([chunks.join('').slice(0, 50), chunks.join('').slice(50)], /\/home\/me/g),
  ).toEqual([
    event({ content: 'in /home/me' }),
    event(call(0, '{"path":"/home/me')),
    event({ content: '' }),
    event(call(0, '/a.txt"}')),
    event({ content: '/a.txt' }),
    event(call(1, '/ho')),
  ]);
});

test('what holds no such text apart stays as it came', () => {
  const chunks = [': keep-alive\n\nda', 'ta: {"choices":[{"delta":{"content":"/home/me"}}]}\n\n'];
  expect(gatherSplit(chunks, /\/home\/me/g)).toBe(chunks);
  expect(gatherSplit(['<html>', 'no stream'], /no s/g)).toEqual(['<html>', 'no stream']);
});
