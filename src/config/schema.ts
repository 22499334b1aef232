import * as z from 'zod';
import { DEFAULT_MODE } from '../log/state.ts';
import type { Limits } from '../loop/agent.ts';
import { APPROVALS } from '../loop/permission.ts';
import type { ProviderConfig } from '../model/provider.ts';
import { type ModeDefinition, modeDefinitionSchema } from '../modes/definitions.ts';
import { SANDBOX_MODES } from '../sandbox/policy.ts';

/** The limits in force when no file says otherwise. */
export const DEFAULT_LIMITS: Limits = {
  stepsMax: 100,
  toolOutputBytesMax: 48 * 1024,
  shellTimeoutMs: 120_000,
  retriesMax: 4,
  retryDelayMs: 1000,
  messageBytesMax: 1024 * 1024,
  // The model's own window.
  contextTokensMax: Infinity,
  contextPercentMax: 85,
};

const limit = z.int().positive();

const limitsSchema = z.strictObject({
  stepsMax: limit.optional(),
  toolOutputBytesMax: limit.optional(),
  shellTimeoutMs: limit.optional(),
  retriesMax: z.int().nonnegative().optional(),
  retryDelayMs: limit.optional(),
  messageBytesMax: limit.optional(),
  contextTokensMax: limit.optional(),
  contextPercentMax: limit.optional(),
});

const modeName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*$/, 'is no mode name: use lower-case letters, digits, - and _')
  .refine((name) => name !== DEFAULT_MODE, 'is reserved for having no mode: use another name');

const optionsSchema = z.strictObject({
  sandbox: z.enum(SANDBOX_MODES).optional(),
  approval: z.enum(APPROVALS).optional(),
  model: z.string().regex(/\S/).optional(),
  reasoning_effort: z.string().regex(/\S/).optional(),
});

const sandboxSchema = z.strictObject({
  backend: z.enum(['auto', 'none']).optional(),
  network: z.boolean().optional(),
});

const money = z.number().nonnegative();

const providerSchema = z.strictObject({
  baseURL: z.url({ protocol: /^https?$/ }),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_]\w*$/)
    .optional(),
  models: z
    .record(
      z.string(),
      z.strictObject({
        contextTokens: z.int().positive().optional(),
        reasoningEfforts: z.array(z.string().regex(/\S/)).optional(),
        outputTokens: z.int().positive().optional(),
        images: z.boolean().optional(),
        sendsReasoning: z.boolean().optional(),
        price: z.strictObject({ input: money, cachedInput: money, output: money }).optional(),
      }),
    )
    .optional(),
});

/** One configuration file, as written. */
export const configFileSchema = z.strictObject({
  modes: z.record(modeName, modeDefinitionSchema).optional(),
  limits: limitsSchema.optional(),
  options: optionsSchema.optional(),
  sandbox: sandboxSchema.optional(),
  providers: z.record(z.string().regex(/^[a-z][a-z0-9_-]*$/), providerSchema).optional(),
});

/** One configuration file, as written. */
export type ConfigFile = z.output<typeof configFileSchema>;

/** The configuration in force for one working directory. */
export interface Config {
  /** What files define; the built-in modes are added elsewhere. */
  modes: Record<string, ModeDefinition>;
  limits: Limits;
  /** What the options of a session start from. */
  options: z.output<typeof optionsSchema>;
  /** Whether commands are confined where that can be done, and have the network then. */
  sandbox: { enabled: boolean; network: boolean };
  providers: Record<string, ProviderConfig>;
  /** What of the project's file does not count, and why: a sentence each, for a person. */
  ignored: string[];
  /** The file of each value, by its path, such as `modes.<name>`; defaults have none. */
  sources: Record<string, string>;
}
