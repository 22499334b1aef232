import * as z from 'zod';
import { DEFAULT_MODE } from '../log/state.ts';
import type { Limits } from '../loop/agent.ts';
import { type ModeDefinition, modeDefinitionSchema } from '../modes/definitions.ts';

/** The limits in force when no file says otherwise. */
export const DEFAULT_LIMITS: Limits = {
  stepsMax: 100,
  toolOutputBytesMax: 48 * 1024,
  shellTimeoutMs: 120_000,
  messageBytesMax: 1024 * 1024,
  contextTokensMax: 128_000,
  contextPercentMax: 85,
};

const limit = z.int().positive();

const limitsSchema = z.strictObject({
  stepsMax: limit.optional(),
  toolOutputBytesMax: limit.optional(),
  shellTimeoutMs: limit.optional(),
  messageBytesMax: limit.optional(),
  contextTokensMax: limit.optional(),
  contextPercentMax: limit.optional(),
});

const modeName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*$/, 'is no mode name: use lower-case letters, digits, - and _')
  .refine((name) => name !== DEFAULT_MODE, 'is reserved for having no mode: use another name');

/** One configuration file, as written. */
export const configFileSchema = z.strictObject({
  modes: z.record(modeName, modeDefinitionSchema).optional(),
  limits: limitsSchema.optional(),
});

/** One configuration file, as written. */
export type ConfigFile = z.output<typeof configFileSchema>;

/** The configuration in force for one working directory. */
export interface Config {
  /** What files define; the built-in modes are added elsewhere. */
  modes: Record<string, ModeDefinition>;
  limits: Limits;
  /** The file of each value, by `modes.<name>` and `limits.<key>`; defaults have none. */
  sources: Record<string, string>;
}
