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

/** One act of a scenario. */
export const opSchema: z.ZodType<Op> = z.discriminatedUnion('op', [
  z
    .strictObject({ op: z.literal('initialize'), clientCapabilities: capabilities.optional() })
    .describe('The editor says what it can do.'),
  z
    .strictObject({ op: z.enum(['newSession', 'loadSession', 'resumeSession', 'forkSession']) })
    .describe('Opens a session; all but the first take the one that was worked in last.'),
  z
    .strictObject({ op: z.literal('restart'), kill: z.boolean().optional() })
    .describe('The agent ends (killed, if `kill`) and another one is started.'),
  z.strictObject({ op: z.literal('setMode'), modeId: z.string() }).describe('Picks a mode.'),
  z
    .strictObject({ op: z.literal('setConfigOption'), configId: z.string(), value: z.string() })
    .describe('Sets an option.'),
  z
    .strictObject({
      op: z.literal('prompt'),
      text: z.string().optional(),
      content: z.array(contentBlock).optional(),
      get during() {
        return z.array(momentSchema).optional();
      },
    })
    .describe('A prompt: a text, blocks behind it, and what happens while it runs.'),
  z.strictObject({ op: z.literal('cancel') }).describe('Cancels the turn that runs.'),
]);

const count = z.int().positive();

/** What happens while a prompt runs, and when. */
export const momentSchema: z.ZodType<Moment> = z.lazy(() => {
  const ops = z.array(opSchema);
  return z.union([
    z
      .strictObject({ question: count, ops })
      .describe('As the question of that number in this prompt waits for its answer.'),
    z.strictObject({ call: z.string(), ops }).describe('As the tool call of that id runs.'),
    z
      .strictObject({ request: count, ops })
      .describe('As the answer in that exchange of `model.jsonl` has come so far.'),
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

/** `input.json` of a scenario. */
export const scenarioSchema = z.strictObject({
  description: z.string().describe('What it shows.'),
  config: z
    .record(z.string(), z.json())
    .default({})
    .describe('The configuration file of the person whose session it is.'),
  shell: z.string().default('/bin/sh').describe('The shell of that person, absolute.'),
  ops: z.array(opSchema).describe('What the person does, in order.'),
  elicitationAnswers: z
    .array(elicitationAnswer)
    .default([])
    .describe('The answers to forms, each taken once, in order.'),
  permissionAnswers: z
    .array(z.union([z.string(), z.strictObject({ optionId: z.string(), reason: z.string() })]))
    .default([])
    .describe('Option ids (or `cancelled`) for permissions, with a `reason` or without.'),
  buffers: z
    .record(z.string(), z.string())
    .default({})
    .describe('What the editor has open and not saved: texts by path in the workspace.'),
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
