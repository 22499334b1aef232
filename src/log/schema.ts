import * as z from 'zod';
import { once } from '../base/once.ts';
import type { LogEvent } from './events.ts';
import {
  finish,
  grant,
  header,
  jsonObject,
  promptBlock,
  resultBlock,
  usage,
  userQuestion,
} from './shapes.ts';

const line = once(() => ({ seq: z.int().positive(), time: z.iso.datetime() }));

// One event a member; the discriminator is `type`, then `kind` of `ask`, `outcome` of `answer`.
const sessionEvents = () =>
  [
    z.strictObject({
      ...line(),
      type: z.literal('session/created'),
      v: z.int(),
      id: z.string(),
      cwd: z.string(),
      additionalDirectories: z.array(z.string()),
      agent: z.strictObject({ name: z.string(), version: z.string() }),
      parent: z.strictObject({ id: z.string(), seq: z.int() }).optional(),
    }),
    z.strictObject({
      ...line(),
      type: z.literal('session/title'),
      title: z.string(),
      source: z.enum(['auto', 'user']),
    }),
    z.strictObject({ ...line(), type: z.literal('mode/intent'), mode: z.string() }),
    z.strictObject({ ...line(), type: z.literal('mode/set'), mode: z.string() }),
    z.strictObject({ ...line(), type: z.literal('knob/set'), id: z.string(), value: z.string() }),
  ] as const;

const turnEvents = () =>
  [
    z.strictObject({ ...line(), type: z.literal('turn/start'), turn: z.int() }),
    z.strictObject({
      ...line(),
      type: z.literal('turn/end'),
      turn: z.int(),
      stopReason: z.enum([
        'end_turn',
        'max_tokens',
        'max_turn_requests',
        'refusal',
        'cancelled',
        'failed',
        'interrupted',
      ]),
      error: z.string().optional(),
    }),
    z.strictObject({
      ...line(),
      type: z.literal('user/message'),
      messageId: z.string(),
      content: z.array(promptBlock()),
    }),
    z.strictObject({
      ...line(),
      type: z.literal('context/message'),
      source: z.string(),
      text: z.string(),
    }),
    z.strictObject({
      ...line(),
      type: z.literal('request/header'),
      reason: z.enum(['initial', 'changed']),
      header: header(),
    }),
    z.strictObject({
      ...line(),
      type: z.literal('step/start'),
      step: z.int(),
      headerSeq: z.int(),
      sha256: z.string(),
    }),
    z.strictObject({ ...line(), type: z.literal('step/end'), step: z.int() }),
  ] as const;

const stepEvents = () =>
  [
    z.strictObject({
      ...line(),
      type: z.literal('assistant/message'),
      messageId: z.string(),
      text: z.string(),
      reasoning: z.string().optional(),
      calls: z.array(
        z.strictObject({ callId: z.string(), name: z.string(), arguments: z.string() }),
      ),
      finish: finish(),
      usage: usage().optional(),
      partial: z.literal(true).optional(),
    }),
    z.strictObject({
      ...line(),
      type: z.literal('tool/call'),
      callId: z.string(),
      name: z.string(),
      input: jsonObject(),
    }),
    z.strictObject({
      ...line(),
      type: z.literal('tool/result'),
      callId: z.string(),
      content: z.array(resultBlock()),
      isError: z.boolean(),
    }),
    z.strictObject({
      ...line(),
      type: z.literal('file/seen'),
      path: z.string(),
      sha256: z.string(),
    }),
    z.strictObject({
      ...line(),
      type: z.literal('todo/write'),
      entries: z.array(
        z.strictObject({
          content: z.string(),
          status: z.enum(['pending', 'in_progress', 'completed']),
          priority: z.enum(['high', 'medium', 'low']),
        }),
      ),
    }),
    z.strictObject({
      ...line(),
      type: z.literal('retry'),
      attempt: z.int(),
      reason: z.string(),
      delayMs: z.number(),
    }),
    z.strictObject({
      ...line(),
      type: z.literal('compaction'),
      compactionId: z.string(),
      summary: z.string(),
      throughSeq: z.int(),
      state: jsonObject(),
      usage: usage().optional(),
    }),
  ] as const;

const askEvent = () => {
  const ask = { ...line(), type: z.literal('ask'), askId: z.string(), callId: z.string() };
  return z.discriminatedUnion('kind', [
    z.strictObject({ ...ask, kind: z.literal('review'), title: z.string() }),
    z.strictObject({ ...ask, kind: z.literal('question'), questions: z.array(userQuestion()) }),
    z.strictObject({
      ...ask,
      kind: z.literal('permission'),
      outside: z.array(z.string()),
      escalated: z.literal(true).optional(),
      grant: grant().optional(),
    }),
  ]);
};

const answerEvent = () => {
  const answer = { ...line(), type: z.literal('answer'), askId: z.string() };
  return z.discriminatedUnion('outcome', [
    z.strictObject({
      ...answer,
      outcome: z.enum(['approve', 'keep_planning', 'reject_once']),
      feedback: z.string().optional(),
      unreviewed: z.literal(true).optional(),
    }),
    z.strictObject({
      ...answer,
      outcome: z.literal('answered'),
      answers: z.array(z.array(z.string())),
    }),
    z.strictObject({
      ...answer,
      outcome: z.enum(['allow_once', 'allow_always', 'decline', 'cancel', 'cancelled']),
    }),
    z.strictObject({ ...answer, outcome: z.literal('failed'), reason: z.string() }),
  ]);
};

const events = once(() => [...sessionEvents(), ...turnEvents(), ...stepEvents()] as const);

/** The reading edge of the log: what a line must be to count as an event. */
export const logEventSchema = once((): z.ZodType<LogEvent> =>
  z.discriminatedUnion('type', [...events(), askEvent(), answerEvent()]),
);

/** Every `type` that this version knows. */
export const eventTypes = once(
  (): ReadonlySet<string> =>
    new Set([...events().map((event) => event.shape.type.value), 'ask', 'answer']),
);
