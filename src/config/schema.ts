import * as z from 'zod';
import type { JsonObject } from '../base/json.ts';
import { once } from '../base/once.ts';
import { DEFAULT_MODE } from '../log/state.ts';
import type { Limits } from '../loop/agent.ts';
import { APPROVALS } from '../loop/permission.ts';
import { DEFAULT_MODEL, type ProviderConfig } from '../model/provider.ts';
import { type ModeDefinition, modeDefinitionSchema } from '../modes/definitions.ts';
import { SANDBOX_MODES } from '../sandbox/policy.ts';
import { providerSchema } from './provider_schema.ts';

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

// A default of the file's own: it shows in the JSON Schema and is applied where files are merged.
const limit = (name: keyof Limits, description: string, number = z.int().positive()) =>
  number.optional().meta({
    description,
    ...(Number.isFinite(DEFAULT_LIMITS[name]) ? { default: DEFAULT_LIMITS[name] } : {}),
  });

const limitsSchema = () =>
  z
    .strictObject({
      stepsMax: limit('stepsMax', 'Model requests of one turn.'),
      toolOutputBytesMax: limit(
        'toolOutputBytesMax',
        'Bytes that one call may give to the model; `bash` keeps the rest in a file.',
      ),
      shellTimeoutMs: limit(
        'shellTimeoutMs',
        'Milliseconds of a command that asks for no other limit.',
      ),
      retriesMax: limit(
        'retriesMax',
        'How often a request is repeated that may go well another time; 0 for never.',
        z.int().nonnegative(),
      ),
      retryDelayMs: limit(
        'retryDelayMs',
        'Milliseconds before the first repetition; each further one waits twice as long.',
      ),
      messageBytesMax: limit('messageBytesMax', 'Bytes of one prompt.'),
      contextTokensMax: limit(
        'contextTokensMax',
        'Tokens of the context window that are used at the most; ' +
          "the model's own window if left out.",
      ),
      contextPercentMax: limit(
        'contextPercentMax',
        'How full the window may get, in percent, before the conversation is summarised.',
      ),
    })
    .describe('Limits of a session. The file of a project can only lower them.');

const modeName = () =>
  z
    .string()
    .regex(/^[a-z][a-z0-9_-]*$/, 'is no mode name: use lower-case letters, digits, - and _')
    .refine((name) => name !== DEFAULT_MODE, 'is reserved for having no mode: use another name')
    // A refinement does not show in the JSON Schema by itself.
    .meta({ not: { const: DEFAULT_MODE } });

const optionsSchema = () =>
  z
    .strictObject({
      sandbox: z
        .enum(SANDBOX_MODES)
        .optional()
        .meta({
          description:
            'What commands reach, and whether the file tools may change anything. Where nothing ' +
            'can confine a command, the default is `off`.',
          default: 'workspace-write',
        }),
      approval: z
        .enum(APPROVALS)
        .optional()
        .meta({
          description:
            '`ask`: about every call that is not read-only. `auto`: about what neither the ' +
            'sandbox nor the workspace confines. `never`: about nothing; what `auto` asks about ' +
            'is refused.',
          default: 'ask',
        }),
      model: z
        .string()
        .regex(/\S/)
        .optional()
        .meta({
          description: 'The model, as `provider/model`.',
          default: `openai/${DEFAULT_MODEL}`,
        }),
      reasoning_effort: z
        .string()
        .regex(/\S/)
        .optional()
        .describe('How long the model thinks, such as `high`; left to the model if left out.'),
    })
    .describe('What the options of a session start from. A project can only narrow them.');

const sandboxSchema = () =>
  z
    .strictObject({
      backend: z.enum(['auto', 'none']).optional().meta({
        description: '`none` where commands are confined by other means, such as a container.',
        default: 'auto',
      }),
      network: z
        .boolean()
        .optional()
        .meta({ description: 'Whether confined commands have the network.', default: false }),
    })
    .describe('How commands are confined. A project cannot set this.');

/** One configuration file, as written. */
export const configFileSchema = once(() =>
  z.strictObject({
    $schema: z.string().optional().describe('The schema that an editor holds this file against.'),
    modes: z
      .record(modeName(), modeDefinitionSchema())
      .optional()
      .describe('Modes by name. `plan` is built in, and can be given another text.'),
    limits: limitsSchema().optional(),
    options: optionsSchema().optional(),
    sandbox: sandboxSchema().optional(),
    providers: z
      .record(z.string().regex(/^[a-z][a-z0-9_-]*$/), providerSchema())
      .optional()
      .describe(
        'Endpoints by name, beside openai, deepseek, openrouter and ollama. A project may name ' +
          'none.',
      ),
  }),
);

/** The JSON Schema of a configuration file, with what each key means and its default. */
export function toConfigJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(configFileSchema(), {
    io: 'input',
    target: 'draft-7',
  }) as JsonObject;
  return { title: 'Planfold configuration', ...schema };
}

/** One configuration file, as written. */
export type ConfigFile = z.output<ReturnType<typeof configFileSchema>>;

/** The configuration in force for one working directory. */
export interface Config {
  /** What files define; the built-in modes are added elsewhere. */
  modes: Record<string, ModeDefinition>;
  limits: Limits;
  /** What the options of a session start from. */
  options: z.output<ReturnType<typeof optionsSchema>>;
  /** Whether commands are confined where that can be done, and have the network then. */
  sandbox: { enabled: boolean; network: boolean };
  providers: Record<string, ProviderConfig>;
  /** What of the project's file does not count, and why: a sentence each, for a person. */
  ignored: string[];
  /** The file of each value, by its path, such as `modes.<name>`; defaults have none. */
  sources: Record<string, string>;
}
