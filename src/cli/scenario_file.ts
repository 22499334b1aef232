import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { Op, Scenario } from '../acp/scenario.ts';
import { messageOf, UserError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';

type Capabilities = Extract<Op, { op: 'initialize' }>['clientCapabilities'];

// The agent itself judges what a client claims; here it only has to be an object.
const capabilities = z.custom<Capabilities>(isObject, 'must be an object');

const opSchema: z.ZodType<Op> = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('initialize'), clientCapabilities: capabilities.optional() }),
  z.strictObject({ op: z.enum(['newSession', 'loadSession', 'resumeSession', 'forkSession']) }),
  z.strictObject({ op: z.literal('restart'), kill: z.boolean().optional() }),
  z.strictObject({ op: z.literal('setMode'), modeId: z.string() }),
  z.strictObject({ op: z.literal('setConfigOption'), configId: z.string(), value: z.string() }),
  z.strictObject({
    op: z.literal('prompt'),
    text: z.string(),
    get during() {
      return z.array(opSchema).optional();
    },
  }),
  z.strictObject({ op: z.literal('cancel') }),
]);

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
  ops: z.array(opSchema),
  elicitationAnswers: z.array(elicitationAnswer).default([]),
  permissionAnswers: z.array(z.string()).default([]),
  buffers: z.record(z.string(), z.string()).default({}),
});

/** A scenario as its file has it. */
export interface ScenarioFile extends Scenario {
  description: string;
  /** The configuration file of the person whose session it is. */
  config: JsonObject;
}

/** Where a scenario is played: all of it lies in a new temporary directory. */
export interface ScenarioPlace {
  cwd: string;
  dataDir: string;
  env: NodeJS.ProcessEnv;
}

/** Makes the place for a scenario: a copy of its workspace, its configuration, no data yet. */
export function prepareScenario(directory: string, { config }: ScenarioFile): ScenarioPlace {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-scenario-')));
  const cwd = join(home, 'workspace');
  cpSync(join(directory, 'workspace'), cwd, { recursive: true });
  const dataDir = join(home, 'data');
  const configHome = join(home, 'config');
  mkdirSync(join(configHome, 'planfold'), { recursive: true });
  writeFileSync(join(configHome, 'planfold', 'config.json'), JSON.stringify(config));
  const env = { ...process.env, PLANFOLD_HOME: dataDir, XDG_CONFIG_HOME: configHome };
  return { cwd, dataDir, env };
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
