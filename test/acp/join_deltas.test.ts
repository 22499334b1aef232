import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { joinDeltas } from '../../src/acp/join_deltas.ts';

function collect() {
  const sent: string[] = [];
  const joiner = joinDeltas((messageId, { kind, text }) => {
    sent.push(`${messageId} ${kind}: ${text}`);
    return undefined;
  });
  return { sent, ...joiner };
}

test('pieces of one tick go out as one, those of the next as another', async () => {
  const { sent, add } = collect();
  for (const text of ['a', 'b', 'c']) add('m', { kind: 'text', text });
  expect(sent).toEqual([]);
  await tick();
  add('m', { kind: 'text', text: 'd' });
  await tick();
  expect(sent).toEqual(['m text: abc', 'm text: d']);
});

test('another kind or message is never joined, and the order is kept', async () => {
  const { sent, add } = collect();
  add('m', { kind: 'reasoning', text: 'hm' });
  add('m', { kind: 'text', text: 'yes' });
  add('n', { kind: 'text', text: 'no' });
  await tick();
  expect(sent).toEqual(['m reasoning: hm', 'm text: yes', 'n text: no']);
});

test('a flush sends what is held, once', async () => {
  const { sent, add, flush } = collect();
  add('m', { kind: 'text', text: 'a' });
  flush();
  flush();
  await tick();
  expect(sent).toEqual(['m text: a']);
});
