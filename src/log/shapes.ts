import * as z from 'zod';
import { SANDBOX_MODES } from '../sandbox/policy.ts';

/** Tokens of one request. */
export const usage = () =>
  z.strictObject({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cachedTokens: z.number().optional(),
    reasoningTokens: z.number().optional(),
  });

const text = () => z.strictObject({ type: z.literal('text'), text: z.string() });
const image = () =>
  z.strictObject({ type: z.literal('image'), mimeType: z.string(), data: z.string() });

/** A block of a user's prompt. */
export const promptBlock = () =>
  z.discriminatedUnion('type', [
    text(),
    image(),
    z.strictObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string() }),
    z.strictObject({
      type: z.literal('resource'),
      resource: z.strictObject({
        uri: z.string(),
        text: z.string(),
        mimeType: z.string().optional(),
      }),
    }),
  ]);

/** A block of a tool's result. */
export const resultBlock = () =>
  z.discriminatedUnion('type', [
    text(),
    image(),
    z.strictObject({
      type: z.literal('diff'),
      path: z.string(),
      oldText: z.string().nullable(),
      newText: z.string(),
    }),
  ]);

/** Any JSON object. */
export const jsonObject = () => z.record(z.string(), z.json());

/** What a request carries besides messages. */
export const header = () =>
  z.strictObject({
    model: z.string(),
    settings: jsonObject(),
    sendsReasoning: z.literal(true).optional(),
    system: z.array(z.strictObject({ name: z.string(), text: z.string() })),
    tools: z.array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string(),
          description: z.string(),
          parameters: jsonObject(),
        }),
      }),
    ),
  });

/** One question of `ask_user_question`. */
export const userQuestion = () =>
  z.strictObject({
    question: z.string(),
    header: z.string().optional(),
    options: z
      .array(z.strictObject({ label: z.string(), description: z.string().optional() }))
      .optional(),
    multi_select: z.boolean().optional(),
  });

/** Why the model stopped. */
export const finish = () =>
  z.enum(['stop', 'tool_calls', 'length', 'content_filter', 'cut', 'cancelled']);

/** What a person allows for a session. */
export const grant = () =>
  z.strictObject({
    tool: z.string(),
    paths: z.array(z.string()).optional(),
    command: z
      .strictObject({
        argv: z.array(z.string()),
        open: z.boolean(),
        sandbox: z.enum(SANDBOX_MODES),
      })
      .optional(),
  });
