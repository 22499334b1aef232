import { accessSync, constants } from 'node:fs';
import { messageOf } from '../base/errors.ts';
import { makePrivateDirectory } from '../base/make_directory.ts';
import { loadConfig } from '../config/load.ts';
import { lookForFiles } from '../config/resolved.ts';
import type { Config } from '../config/schema.ts';
import type { ModelChoice } from '../model/models.ts';
import { findProgram } from '../sandbox/programs.ts';
import { createMachine, type Machine } from '../session/machine.ts';

/** What one look came to; `fix` is what a person can do. */
interface Finding {
  good: boolean;
  what: string;
  fix?: string;
}

const CALL_MS_MAX = 30_000;
const LIST_MS_MAX = 5000;

/**
 * Looks at everything that a session rests on, the model's endpoint included, and says of each what
 * to do. Resolves with the exit code: 1 where something keeps sessions from working.
 */
export async function runDoctor(write: (text: string) => void): Promise<number> {
  let failed = 0;
  const tell = ({ good, what, fix }: Finding) => {
    write(`${good ? '✓' : '✗'} ${what}\n${fix === undefined ? '' : `    ${fix}\n`}`);
    if (!good) failed += 1;
  };
  const machine = attempt(() => createMachine(process.env), tell);
  const config = attempt(() => loadConfig({ env: process.env, cwd: process.cwd() }), tell);
  if (machine && config) {
    for (const finding of lookAtConfig(config)) tell(finding);
    tell(lookAtData(machine.dataDir));
    await lookAtModel(machine, config, tell);
    tell(await lookAtSandbox(machine, config));
    tell(lookAtRipgrep(machine.env));
  }
  write(failed === 0 ? '\nEverything works.\n' : `\n${failed} to look at.\n`);
  return failed === 0 ? 0 : 1;
}

function attempt<T>(work: () => T, tell: (finding: Finding) => void): T | undefined {
  try {
    return work();
  } catch (error) {
    tell({ good: false, what: messageOf(error) });
    return undefined;
  }
}

function lookAtConfig(config: Config): Finding[] {
  const files = lookForFiles({ env: process.env, cwd: process.cwd() }, config);
  const found = files.map(({ path, isThere, sets }) => {
    const what = sets.length === 0 ? 'sets nothing' : `sets ${sets.join(', ')}`;
    return { good: true, what: `Configuration ${path}: ${isThere ? what : 'not there'}` };
  });
  return [...found, ...config.ignored.map((what) => ({ good: true, what }))];
}

function lookAtData(dataDir: string): Finding {
  try {
    makePrivateDirectory(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    return { good: true, what: `Data directory ${dataDir} can be written` };
  } catch (error) {
    const what = `Data directory ${dataDir} cannot be written: ${messageOf(error)}`;
    return { good: false, what, fix: 'Make it writable, or set PLANFOLD_HOME to another one.' };
  }
}

async function lookAtModel(
  machine: Machine,
  config: Config,
  tell: (finding: Finding) => void,
): Promise<void> {
  const standard = attempt(() => {
    const chosen = machine.openModels(config).standard;
    chosen.client.ready();
    return chosen;
  }, tell);
  if (!standard) return;
  // Never shown, not even in part.
  tell({ good: true, what: `Key for ${standard.provider}: there` });
  tell(await lookAtList(standard));
  tell(await callOnce(standard));
}

// Not every endpoint has a list, and a model need not be in it to work.
async function lookAtList({ id, name, client }: ModelChoice): Promise<Finding> {
  const listed = await client.list(AbortSignal.timeout(LIST_MS_MAX)).catch(() => undefined);
  if (!listed) return { good: true, what: 'The endpoint lists no models' };
  const what = `The endpoint lists ${listed.length} models`;
  if (listed.includes(name)) return { good: true, what: `${what}, ${id} among them` };
  const some = listed.slice(0, 5).join(', ');
  return { good: true, what: `${what}, but not ${name}`, fix: `It has ${some}, …` };
}

async function callOnce({ id, name, client }: ModelChoice): Promise<Finding> {
  const messages = [{ role: 'user' as const, content: 'Answer with one word: ready?' }];
  try {
    const { text, finish, cutReason } = await client.complete({
      body: { model: name, stream: true, stream_options: { include_usage: true }, messages },
      signal: AbortSignal.timeout(CALL_MS_MAX),
      onDelta() {},
    });
    if (finish === 'cut' || finish === 'cancelled') {
      return { good: false, what: `${id} did not answer: ${cutReason ?? 'it took too long'}` };
    }
    return { good: true, what: `${id} answers: ${JSON.stringify(text.slice(0, 40))}` };
  } catch (error) {
    return { good: false, what: messageOf(error) };
  }
}

async function lookAtSandbox(machine: Machine, { sandbox }: Config): Promise<Finding> {
  if (!sandbox.enabled) return { good: true, what: 'Sandbox: turned off in the configuration' };
  const found = await machine.sandbox();
  if ('sandbox' in found) return { good: true, what: `Sandbox: ${found.sandbox.name} works` };
  const fix =
    process.platform === 'linux'
      ? 'Install bubblewrap and allow user namespaces; until then every command asks.'
      : 'Until then every command asks.';
  return { good: false, what: `No sandbox: ${found.problem}`, fix };
}

function lookAtRipgrep(env: NodeJS.ProcessEnv): Finding {
  const path = findProgram('rg', env);
  if (path !== undefined) return { good: true, what: `ripgrep: ${path}` };
  return { good: true, what: 'ripgrep is not installed', fix: 'Searches work, and are slower.' };
}
