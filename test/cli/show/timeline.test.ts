import { expect, test } from 'vitest';
import type { Entry } from '../../../src/cli/show/entries.ts';
import { foldTimeline } from '../../../src/cli/show/timeline.ts';
import type { Fact } from '../../../src/log/events.ts';
import { EVERY_FACT, logOf } from '../../log/facts.ts';
import { SAMPLE } from './sample.ts';
import { callOf, headerOf, ran, sessionOf, spoke, TOOLS } from './session.ts';

const entriesOf = (...facts: Fact[]) => foldTimeline(sessionOf(...facts), TOOLS).entries;
const kindsOf = (entries: readonly Entry[]) => entries.map(({ kind }) => kind).join(' ');

test('every fact has its place, in the order of the log', () => {
  const { entries, openTurn, turns, title } = foldTimeline(logOf(...EVERY_FACT), TOOLS);
  expect(kindsOf(entries)).toBe(
    'intent knob turn mode user context header retry thought answer call call call todo ' +
      'compaction answer turnEnd',
  );
  expect({ openTurn, turns, title }).toEqual({ openTurn: undefined, turns: 1, title: 'T' });
});

test('an entry carries the mode that was in force there', () => {
  const modes = foldTimeline(SAMPLE, TOOLS).entries.map(({ kind, mode }) => `${kind} ${mode}`);
  expect(modes.slice(0, 4)).toEqual(['intent default', 'turn default', 'mode plan', 'user plan']);
  const back = modes.findIndex((one) => one === 'mode default');
  expect(modes[back - 1]).toBe('plan plan');
  expect(modes.at(-1)).toBe('turnEnd review');
});

test('a plan stands with its review, its feedback and its result', () => {
  const plans = foldTimeline(SAMPLE, TOOLS).entries.filter((entry) => entry.kind === 'plan');
  expect(plans.map(({ title, reply, result }) => [title, reply, result?.isError])).toEqual([
    ['Greet', expect.objectContaining({ outcome: 'keep_planning' }), true],
    ['Greet people in their language', expect.objectContaining({ outcome: 'approve' }), false],
  ]);
  expect(plans[1]?.plan).toContain('## Steps');
});

test('a question belongs to its call, whatever else was asked between', () => {
  const a = callOf('a', 'read', { path: 'a' });
  const b = callOf('b', 'read', { path: 'b' });
  const entries = entriesOf(
    { type: 'request/header', reason: 'initial', header: headerOf('default') },
    spoke({ calls: [a, b] }),
    { type: 'ask', askId: '1', callId: 'a', kind: 'permission', outside: ['/a'] },
    { type: 'ask', askId: '2', callId: 'b', kind: 'permission', outside: ['/b'] },
    { type: 'answer', askId: '2', outcome: 'allow_once' },
    { type: 'answer', askId: '1', outcome: 'reject_once' },
    ...ran(a, 'A', true),
  );
  const calls = entries.filter((entry) => entry.kind === 'call');
  expect(calls.map(({ title, reply }) => [title, reply?.outcome])).toEqual([
    ['Read a', 'reject_once'],
    ['Read b', 'allow_once'],
  ]);
  expect(calls.map(({ result }) => result?.isError)).toEqual([true, undefined]);
});

test('a tool that was not offered, or not given what it takes, shows by its name', () => {
  const header: Fact = { type: 'request/header', reason: 'initial', header: headerOf('default') };
  const plan = callOf('p', 'exit_plan_mode', { plan: '# P' });
  const read = { callId: 'r', name: 'read', arguments: '{"path"' };
  const [, ...calls] = entriesOf(header, spoke({ calls: [plan, read] }));
  expect(calls).toMatchObject([
    { kind: 'call', title: 'exit_plan_mode', input: { plan: '# P' } },
    { kind: 'call', title: 'read', input: '{"path"' },
  ]);
});

test('a header says what changed in it', () => {
  const [, changed] = entriesOf(
    { type: 'request/header', reason: 'initial', header: headerOf('plan') },
    { type: 'request/header', reason: 'changed', header: headerOf('default', 'gpt-5-mini') },
  );
  expect(changed).toMatchObject({
    added: [],
    removed: ['section mode', 'tool exit_plan_mode'],
    changed: ['the model'],
  });
});

test('each request counts with its turn, its mode and its model', () => {
  const { requests } = foldTimeline(SAMPLE, TOOLS);
  expect(requests.map(({ turn, mode, model }) => `${turn} ${mode} ${model}`)).toEqual([
    ...Array.from({ length: 3 }, () => '1 plan gpt-5'),
    ...Array.from({ length: 4 }, () => '1 default gpt-5'),
    ...Array.from({ length: 2 }, () => '2 review gpt-5-mini'),
  ]);
  expect(requests.filter(({ compaction }) => compaction)).toHaveLength(1);
});

test('a turn without an end is open', () => {
  const { openTurn } = foldTimeline(sessionOf({ type: 'turn/start', turn: 3 }), TOOLS);
  expect(openTurn).toBe(3);
});

test('what does not begin with line 1 is no session', () => {
  const [, ...rest] = sessionOf({ type: 'turn/start', turn: 1 });
  expect(() => foldTimeline(rest, TOOLS)).toThrow('line 1 must be session/created');
  expect(() => foldTimeline([], TOOLS)).toThrow('no event');
});
