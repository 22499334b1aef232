import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SessionRecorder } from '../acp/record_side.ts';
import { createScenarioDraft } from '../acp/scenario_draft.ts';
import { configDirectory } from '../base/directories.ts';
import { InputError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { loadConfig } from '../config/load.ts';
import { type Config, DEFAULT_LIMITS } from '../config/schema.ts';
import { dataDirectory, logPath, sessionsDirectory } from '../log/location.ts';
import { readLog } from '../log/read.ts';
import { PRESETS } from '../model/catalogue.ts';
import { credentialsPath, readCredentials } from '../model/credentials.ts';
import { gatherSplit } from '../model/gather_split.ts';
import { resolveProviders } from '../model/provider.ts';
import { proxyFetch } from '../model/proxy.ts';
import { recordFetch } from '../model/record.ts';
import { type Exchange, writeRecording } from '../model/recording.ts';
import { userShell } from '../sandbox/environment.ts';
import { isBelow } from '../sandbox/policy.ts';
import { realPath } from '../tools/workspace.ts';
import { createNormaliser } from './normalise.ts';
import { machineSubstitution } from './replay.ts';
import { copyFile, copyWorkspace } from './workspace_copy.ts';

/** Makes a scenario of one session as it happens. */
export interface Recorder extends SessionRecorder {
  /** The seam at which the model traffic is recorded. */
  fetch: typeof globalThis.fetch;
}

/** The recorder into `directory`, absolute or not. Throws `UserError` unless it is new or empty. */
export function createRecorder(directory: string, env: NodeJS.ProcessEnv): Recorder {
  const target = resolve(directory);
  const secrets = createSecretScrub(env);
  let cwd = process.cwd();
  const place = (text: string) => secrets.scrub(machineSubstitution(cwd, env).toRecorded(text));
  const draft = createScenarioDraft(target, place);
  const model = join(target, 'model.jsonl');
  writeFileSync(model, writeRecording({ origin: 'recorded', exchanges: [] }));
  const add = (exchange: Exchange) => {
    const { response } = exchange;
    const sought = new RegExp([...secrets.patterns, ...placePatterns(cwd, env)].join('|'), 'g');
    const chunks = [...gatherSplit(response.chunks, sought)];
    const whole = { ...exchange, response: { ...response, chunks } };
    appendFileSync(model, `${place(JSON.stringify(whole))}\n`);
  };
  const passOn = proxyFetch(env) ?? globalThis.fetch;
  const record = recordFetch(passOn, add);
  return {
    draft,
    fetch(input, init) {
      // A list of models is no part of the conversation, and comes at any time.
      if (init?.method?.toUpperCase() !== 'POST') return passOn(input, init);
      draft.requested();
      return record(input, init);
    },
    async begin(machine, directoryOfSession) {
      cwd = directoryOfSession;
      checkOutside(target, cwd);
      const config = loadConfig({ env, cwd });
      const confines = config.sandbox.enabled && 'sandbox' in (await machine.sandbox());
      await copyWorkspace(cwd, join(target, 'workspace'), secrets.scrub);
      if (existsSync(machine.instructions)) {
        copyFile(machine.instructions, join(target, 'AGENTS.md'), secrets.scrub);
      }
      draft.begin({ config: toConfig(config, { env, confines }), shell: userShell(env) });
    },
    end(sessionId) {
      const dataDir = dataDirectory(env);
      const normalise = createNormaliser({ cwd, dataDir, env });
      const lines = readLog(logPath(dataDir, cwd, sessionId)).map((event) =>
        secrets.scrub(normalise(JSON.stringify(event))),
      );
      writeFileSync(join(target, 'session.jsonl'), `${lines.join('\n')}\n`);
    },
  };
}

// The agent would come across it, and a replay would not.
function checkOutside(target: string, cwd: string): void {
  if (!isBelow(realPath(target), realPath(cwd))) return;
  throw new InputError(
    `--record ${target} lies in the workspace ${cwd}. Give a directory outside of it.`,
  );
}

// The configuration under which the session would go the same way on another machine.
function toConfig(
  config: Config,
  { env, confines }: { env: NodeJS.ProcessEnv; confines: boolean },
): JsonObject {
  const { providers, options, limits, sandbox, modes } = config;
  const { byName, chosen } = resolveProviders(env, { providers, model: options.model });
  const { baseURL = '', models = {} } = byName.get(chosen.provider) ?? {};
  const isPreset = PRESETS[chosen.provider]?.baseURL === baseURL;
  const changed = Object.entries(limits).filter(
    ([key, value]) => value !== DEFAULT_LIMITS[key as keyof typeof limits],
  );
  const told = {
    modes,
    limits: Object.fromEntries(changed),
    options: { ...options, model: `${chosen.provider}/${chosen.model}` },
    sandbox: { backend: confines ? 'auto' : 'none', network: sandbox.network },
    providers: isPreset ? {} : { [chosen.provider]: { baseURL: withoutHost(baseURL), models } },
  };
  const json: unknown = JSON.parse(JSON.stringify(told));
  return isObject(json) ? (json as JsonObject) : {};
}

// Whose machine it is, and what may stand before an `@`, is nobody's business; the path counts.
function withoutHost(baseURL: string): string {
  return `http://replay.invalid${new URL(baseURL).pathname}`.replace(/\/$/, '');
}

const SECRET_LENGTH_MIN = 8;

/** Takes the values of keys, and what is shaped like one, out of texts. */
function createSecretScrub(env: NodeJS.ProcessEnv) {
  const named = Object.entries(env).flatMap(([name, value = '']) =>
    /(_API_KEY|_TOKEN|_SECRET|PASSWORD)$/i.test(name) ? [value] : [],
  );
  const stored = Object.values(readCredentials(credentialsPath(env)));
  const values = [...named, ...stored].filter(({ length }) => length >= SECRET_LENGTH_MIN);
  const patterns = [
    ...values.map(escapeRegExp),
    String.raw`\b(?:sk|pk|rk)-[A-Za-z0-9_-]{20,}`,
    String.raw`\bgh[opsur]_[A-Za-z0-9]{30,}`,
    String.raw`\bgithub_pat_[A-Za-z0-9_]{30,}`,
    String.raw`\bxox[abpors]-[A-Za-z0-9-]{20,}`,
    String.raw`\bAKIA[A-Z0-9]{16}\b`,
    String.raw`\bnpm_[A-Za-z0-9]{36}\b`,
  ];
  const pattern = new RegExp(patterns.join('|'), 'g');
  return { patterns, scrub: (text: string) => text.replace(pattern, '[secret]') };
}

function placePatterns(cwd: string, env: NodeJS.ProcessEnv): string[] {
  const sessions = sessionsDirectory(dataDirectory(env), cwd);
  const outputs = `${escapeRegExp(sessions)}/[\\w-]+\\.outputs`;
  return [outputs, escapeRegExp(cwd), escapeRegExp(configDirectory(env))];
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
