import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { Moment, Op } from '../acp/ops.ts';
import type { Scenario } from '../acp/scenario.ts';
import { configDirectory } from '../base/directories.ts';
import { messageOf, UserError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';

type Capabilities = Extract<Op, { op: 'initialize' }>['clientCapabilities'];

// The agent itself judges what a client claims; here it only has to be an object.
const capabilities = z.custom<Capabilities>(isObject, 'must be an object');

type PromptContent = NonNullable<Extract<Op, { op: 'prompt' }>['content']>[number];

const contentBlock = z.custom<PromptContent>(isObject, 'must be a content block');

const opSchema: z.ZodType<Op> = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('initialize'), clientCapabilities: capabilities.optional() }),
  z.strictObject({ op: z.enum(['newSession', 'loadSession', 'resumeSession', 'forkSession']) }),
  z.strictObject({ op: z.literal('restart'), kill: z.boolean().optional() }),
  z.strictObject({ op: z.literal('setMode'), modeId: z.string() }),
  z.strictObject({ op: z.literal('setConfigOption'), configId: z.string(), value: z.string() }),
  z.strictObject({
    op: z.literal('prompt'),
    text: z.string().optional(),
    content: z.array(contentBlock).optional(),
    get during() {
      return z.array(momentSchema).optional();
    },
  }),
  z.strictObject({ op: z.literal('cancel') }),
]);

const count = z.int().positive();

const momentSchema: z.ZodType<Moment> = z.lazy(() => {
  const ops = z.array(opSchema);
  return z.union([
    z.strictObject({ question: count, ops }),
    z.strictObject({ call: z.string(), ops }),
    z.strictObject({ request: count, ops }),
  ]);
});

const elicitationAnswer = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('accept'),
    content: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
  }),
  z.strictObject({ action: z.literal('decline') }),
  z.strictObject({ action: z.literal('cancel') }),
]);

const scenarioSchema = z.strictObject({
  description: z.string(),
  config: z.record(z.string(), z.json()).default({}),
  shell: z.string().default('/bin/sh'),
  ops: z.array(opSchema),
  elicitationAnswers: z.array(elicitationAnswer).default([]),
  permissionAnswers: z
    .array(z.union([z.string(), z.strictObject({ optionId: z.string(), reason: z.string() })]))
    .default([]),
  buffers: z.record(z.string(), z.string()).default({}),
});

/** A scenario as its file has it. */
export interface ScenarioFile extends Scenario {
  description: string;
  /** The configuration file of the person whose session it is. */
  config: JsonObject;
  /** The shell of that person, absolute. */
  shell: string;
}

/** Where a scenario is played: all of it lies in `home`, a new temporary directory. */
export interface ScenarioPlace {
  home: string;
  cwd: string;
  dataDir: string;
  env: NodeJS.ProcessEnv;
}

/** The file of a scenario that holds the person's own instructions, if there are any. */
const INSTRUCTIONS = 'AGENTS.md';

/** Makes the place for a scenario: a copy of its workspace, its configuration, no data yet. */
export function prepareScenario(
  directory: string,
  { config, shell }: Pick<ScenarioFile, 'config' | 'shell'>,
): ScenarioPlace {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-scenario-')));
  const cwd = join(home, 'workspace');
  mkdirSync(cwd);
  copyIfThere(join(directory, 'workspace'), cwd);
  const dataDir = join(home, 'data');
  const configHome = join(home, 'config');
  const env = {
    ...process.env,
    SHELL: shell,
    PLANFOLD_HOME: dataDir,
    XDG_CONFIG_HOME: configHome,
    APPDATA: configHome,
  };
  const configured = configDirectory(env);
  mkdirSync(configured, { recursive: true });
  writeFileSync(join(configured, 'config.json'), JSON.stringify(config));
  copyIfThere(join(directory, INSTRUCTIONS), join(configured, INSTRUCTIONS));
  return { home, cwd, dataDir, env };
}

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}

/**
 * Reads `input.json` of the scenario in `directory`. Throws `UserError` naming file and problem.
 */
export function readScenario(directory: string): ScenarioFile {
  const path = join(directory, 'input.json');
  try {
    return scenarioSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new UserError(`${path}: ${reason}`);
  }
}
