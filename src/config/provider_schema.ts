import * as z from 'zod';
import { USUAL_CONTEXT_TOKENS, USUAL_EFFORTS } from '../model/catalogue.ts';

const money = () => z.number().nonnegative();

const priceSchema = () =>
  z
    .strictObject({
      input: money().describe('Of tokens that the model reads.'),
      cachedInput: money().describe('Of those that the provider had in its cache.'),
      output: money().describe('Of tokens that the model writes.'),
    })
    .describe('Dollars for a million tokens.');

const modelSchema = () =>
  z
    .strictObject({
      contextTokens: z.int().positive().optional().meta({
        description: 'Tokens that its window holds, prompt and answer together.',
        default: USUAL_CONTEXT_TOKENS,
      }),
      outputTokens: z
        .int()
        .positive()
        .optional()
        .describe('Tokens that one answer can have at the most.'),
      reasoningEfforts: z.array(z.string().regex(/\S/)).optional().meta({
        description: 'What `reasoning_effort` may be; `[]` where the model takes none.',
        default: USUAL_EFFORTS,
      }),
      images: z
        .boolean()
        .optional()
        .meta({ description: 'Whether it reads images.', default: true }),
      sendsReasoning: z.boolean().optional().meta({
        description: 'Whether an answer that calls tools must come back with its thoughts.',
        default: false,
      }),
      price: priceSchema().optional(),
    })
    .describe('What is known of a model; `{}` where nothing is.');

/** A provider, as a configuration file has it. */
export const providerSchema = () =>
  z
    .strictObject({
      baseURL: z
        .url({ protocol: /^https?$/ })
        .describe('The base URL of an OpenAI-compatible API, such as `https://host/v1`.'),
      apiKeyEnv: z
        .string()
        .regex(/^[A-Za-z_]\w*$/)
        .optional()
        .describe('The environment variable that holds its key; none is sent if left out.'),
      models: z
        .record(z.string(), modelSchema())
        .optional()
        .describe('Its models by name. Without any, the list of the endpoint is asked for.'),
    })
    .describe('An endpoint.');
