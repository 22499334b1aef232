import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { beforeEach, expect, test } from 'vitest';
import { configure } from '../harness/editor.ts';

const BINARY = new URL('../../bin/planfold.js', import.meta.url).pathname;
const SHIPPED = new URL('../../dist/config.schema.json', import.meta.url).pathname;
const KEY = 'sk-config-and-never-shown';

let home: string;
let user: string;
let project: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-config-')));
  user = join(home, 'config', 'planfold', 'config.json');
  project = join(home, '.planfold', 'config.json');
  mkdirSync(join(home, '.planfold'));
});

function planfold(args: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, 'config', ...args], {
    cwd: home,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      OPENAI_API_KEY: KEY,
      ...env,
    },
  });
  return { status, stdout, stderr };
}

function originOf(key: string, env?: NodeJS.ProcessEnv): unknown {
  const { values } = JSON.parse(planfold(['--json'], env).stdout) as {
    values: { key: string; value: unknown; origin: object }[];
  };
  return values.find((value) => value.key === key);
}

test('each value has its origin', () => {
  configure(home, { limits: { stepsMax: 50 }, options: { approval: 'auto', model: 'lab/small' } });
  writeFileSync(project, JSON.stringify({ options: { approval: 'ask' } }));
  expect(originOf('limits.retriesMax')).toMatchObject({ value: 4, origin: { from: 'default' } });
  const ofUser = { from: 'user', name: user };
  expect(originOf('limits.stepsMax')).toMatchObject({ value: 50, origin: ofUser });
  expect(originOf('options.model')).toMatchObject({ origin: ofUser });
  const ofProject = { from: 'project', name: project };
  expect(originOf('options.approval')).toMatchObject({ value: 'ask', origin: ofProject });
  expect(originOf('options.model', { PLANFOLD_MODEL: 'deepseek/x' })).toMatchObject({
    value: 'deepseek/x',
    origin: { from: 'environment', name: 'PLANFOLD_MODEL' },
  });
  expect(originOf('dataDirectory', { PLANFOLD_HOME: '/data' })).toMatchObject({
    value: '/data',
    origin: { from: 'environment', name: 'PLANFOLD_HOME' },
  });
  expect(originOf('providers.custom', { OPENAI_BASE_URL: 'http://host/v1' })).toMatchObject({
    value: { baseURL: 'http://host/v1', apiKeyEnv: 'OPENAI_API_KEY' },
    origin: { from: 'environment', name: 'OPENAI_BASE_URL' },
  });
});

test('as text: the files, the values, and what of the project does not count', () => {
  configure(home, { limits: { stepsMax: 50 } });
  const limits = { stepsMax: 90 };
  writeFileSync(project, JSON.stringify({ limits, sandbox: { network: true }, providers: {} }));
  const { status, stdout } = planfold();
  expect(stdout).toContain(`yours: ${user}\n`);
  expect(stdout).toContain(`project's: ${project}\n`);
  expect(stdout).toMatch(/^limits\.stepsMax +50 +yours$/m);
  expect(stdout).toContain('`limits.stepsMax` does not count: 90 is more than the 50');
  expect(stdout).toContain('`sandbox.network` does not count');
  expect(status).toBe(0);
});

test('a key is never shown, whether in the environment or in a URL', () => {
  const env = { OPENAI_BASE_URL: `http://me:${KEY}@host/v1?key=${KEY}` };
  for (const args of [[], ['--json']]) {
    const { status, stdout, stderr } = planfold(args, env);
    expect(status).toBe(0);
    expect(stdout).toContain('host/v1');
    expect(stdout + stderr).not.toContain(KEY);
  }
});

test('every problem of both files is told', () => {
  configure(home, { limits: { stepsMax: 0 }, colour: 'red' });
  writeFileSync(project, '{');
  const { status, stderr } = planfold();
  expect(status).toBe(1);
  expect(stderr).toContain(`${user}: \`limits.stepsMax\` must be a whole number above 0, got 0.`);
  expect(stderr).toContain(`${user}: \`colour\` is unknown`);
  expect(stderr).toContain(`${project}: not JSON`);
});

test('the schema that is printed is shipped, and every key of it says what it means', () => {
  const { stdout } = planfold(['--schema']);
  expect(readFileSync(SHIPPED, 'utf8')).toBe(stdout);
  const silent: string[] = [];
  const visit = (schema: Record<string, unknown>, path: string) => {
    if (path !== '' && schema['description'] === undefined) silent.push(path);
    const properties = (schema['properties'] ?? {}) as Record<string, Record<string, unknown>>;
    for (const [key, child] of Object.entries(properties)) visit(child, `${path}.${key}`);
    const more = schema['additionalProperties'];
    if (typeof more === 'object') visit(more as Record<string, unknown>, `${path}.*`);
  };
  visit(JSON.parse(stdout), '');
  expect(silent).toEqual([]);
});

test('the schema takes what the program takes, and refuses what it refuses', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const fits = ajv.compile(JSON.parse(planfold(['--schema']).stdout));
  const provider = { baseURL: 'http://localhost:8000/v1', models: { small: {} } };
  for (const [config, expected] of [
    [{ $schema: './schema.json', modes: { review: { section: 'Look.' } } }, true],
    [{ limits: { stepsMax: 5 }, options: { sandbox: 'off' }, providers: { lab: provider } }, true],
    [{ limits: { stepsMax: 0 } }, false],
    [{ modes: { review: {} } }, false],
    [{ modes: { default: { section: 'Look.' } } }, false],
    [{ options: { sandbox: 'loose' } }, false],
    [{ colour: 'red' }, false],
  ] as const) {
    configure(home, config);
    expect([config, fits(config)]).toEqual([config, expected]);
    expect([config, planfold().status]).toEqual([config, expected ? 0 : 1]);
  }
});
