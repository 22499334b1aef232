import {
  type Fact,
  LOG_VERSION,
  type LogEvent,
  type SessionCreated,
} from '../../src/log/events.ts';
import type { Header } from '../../src/model/types.ts';

/** The time of every event here. */
export const TIME = '2026-01-01T00:00:00.000Z';

/** Line 1 of a log. */
export const CREATED: SessionCreated = {
  type: 'session/created',
  v: LOG_VERSION,
  id: 's1',
  cwd: '/w',
  additionalDirectories: ['/other'],
  agent: { name: 'planfold', version: '0.0.1' },
};

/** A header with two sections and a tool. */
export const HEADER: Header = {
  model: 'm',
  settings: { reasoning_effort: 'low' },
  system: [
    { name: 'persona', text: 'You code.' },
    { name: 'mode', text: 'You plan.\n' },
  ],
  tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: {} } }],
};

/** The answer of a model that makes calls of these ids. */
export function answered(text: string, ...callIds: string[]) {
  return {
    type: 'assistant/message',
    messageId: 'msg_a',
    text,
    calls: callIds.map((callId) => ({ callId, name: 'f', arguments: '{}' })),
    finish: callIds.length > 0 ? 'tool_calls' : 'stop',
  } as const satisfies Fact;
}

/** The result of a call, as text. */
export function resulted(callId: string, text = 'ok', isError = false) {
  return {
    type: 'tool/result',
    callId,
    content: [{ type: 'text', text }],
    isError,
  } satisfies Fact;
}

/** Facts as the events of a log that starts with line 1. */
export function logOf(...facts: Fact[]): LogEvent[] {
  return [CREATED, ...facts].map((fact, index) => ({ seq: index + 1, time: TIME, ...fact }));
}

const USAGE = { inputTokens: 9, outputTokens: 4, cachedTokens: 8, reasoningTokens: 1 };
const QUESTIONS = [
  { question: 'Which?', header: 'h', options: [{ label: 'a', description: 'd' }, { label: 'b' }] },
  { question: 'Why?', multi_select: true },
];

/** Facts of every type and variant that a log can hold, after line 1. */
export const EVERY_FACT: readonly Fact[] = [
  { type: 'session/title', title: 'T', source: 'auto' },
  { type: 'mode/intent', mode: 'plan' },
  { type: 'knob/set', id: 'model', value: 'm' },
  { type: 'turn/start', turn: 1 },
  { type: 'mode/set', mode: 'plan' },
  {
    type: 'user/message',
    messageId: 'msg_u',
    content: [
      { type: 'text', text: 'Look' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'resource_link', uri: 'file:///w/a', name: 'a' },
      { type: 'resource', resource: { uri: 'file:///w/b', text: 'B', mimeType: 'text/plain' } },
    ],
  },
  { type: 'context/message', source: 'mode', text: 'Planning.' },
  { type: 'request/header', reason: 'initial', header: HEADER },
  { type: 'step/start', step: 1, headerSeq: 9, sha256: 'ab' },
  { type: 'retry', attempt: 1, reason: 'busy', delayMs: 0.5 },
  { ...answered('Now', 'c1', 'c2', 'c3'), reasoning: 'Hm', usage: USAGE },
  { type: 'tool/call', callId: 'c1', name: 'f', input: { deep: [{ a: null }, 1.5, 'x'] } },
  { type: 'ask', askId: 'q1', kind: 'review', callId: 'c1', title: 'Plan' },
  { type: 'answer', askId: 'q1', outcome: 'keep_planning', feedback: 'More.' },
  { type: 'ask', askId: 'q2', kind: 'question', callId: 'c2', questions: QUESTIONS },
  { type: 'answer', askId: 'q2', outcome: 'answered', answers: [['a'], []] },
  { type: 'ask', askId: 'q3', kind: 'permission', callId: 'c3', outside: ['/etc/x'] },
  { type: 'answer', askId: 'q3', outcome: 'allow_once' },
  { type: 'ask', askId: 'q4', kind: 'permission', callId: 'c3', outside: [] },
  { type: 'answer', askId: 'q4', outcome: 'failed', reason: 'gone' },
  { type: 'ask', askId: 'q5', kind: 'review', callId: 'c1', title: 'Plan' },
  { type: 'answer', askId: 'q5', outcome: 'approve' },
  {
    type: 'tool/result',
    callId: 'c1',
    content: [
      { type: 'text', text: 'ok' },
      { type: 'image', mimeType: 'image/png', data: 'BBBB' },
      { type: 'diff', path: '/w/a', oldText: null, newText: 'n' },
    ],
    isError: false,
  },
  resulted('c2', 'no', true),
  { type: 'file/seen', path: '/w/a', sha256: 'cd' },
  { type: 'todo/write', entries: [{ content: 't', status: 'in_progress', priority: 'high' }] },
  resulted('c3'),
  { type: 'step/end', step: 1 },
  {
    type: 'compaction',
    compactionId: 'k',
    summary: 'S',
    throughSeq: 12,
    state: { mode: 'plan' },
    usage: USAGE,
  },
  { ...answered('Half'), finish: 'cut', partial: true },
  { type: 'turn/end', turn: 1, stopReason: 'failed', error: 'cut' },
];
