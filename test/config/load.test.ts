import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { messageOf, UserError } from '../../src/base/errors.ts';
import { defaultConfig, loadConfig, userConfigPath } from '../../src/config/load.ts';
import { DEFAULT_LIMITS } from '../../src/config/schema.ts';

let home: string;
let user: string;
let project: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-config-')));
  user = join(home, 'xdg', 'planfold', 'config.json');
  project = join(home, 'work', '.planfold', 'config.json');
});
afterEach(() => rmSync(home, { recursive: true }));

const load = () =>
  loadConfig({ env: { XDG_CONFIG_HOME: join(home, 'xdg') }, cwd: join(home, 'work') });

function put(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return messageOf(error);
  }
  throw new Error('The file was taken.');
}

describe('what is taken', () => {
  test('no file sets nothing', () => {
    expect(load()).toEqual(defaultConfig());
    expect(DEFAULT_LIMITS).toEqual({
      stepsMax: 100,
      toolOutputBytesMax: 49152,
      shellTimeoutMs: 120000,
      retriesMax: 4,
      retryDelayMs: 1000,
      messageBytesMax: 1048576,
      contextTokensMax: Infinity,
      contextPercentMax: 85,
    });
  });

  test('the modes of a project come over those of the user, whole, each with its source', () => {
    const review = { section: 'Look.' };
    put(user, { modes: { plan: { section: 'Plan.', name: 'Mine' }, review } });
    put(project, { modes: { plan: { section: 'Our plan.' }, docs: { section: 'Write.' } } });
    const { modes, sources } = load();
    expect(modes).toEqual({
      plan: { section: 'Our plan.' },
      review,
      docs: { section: 'Write.' },
    });
    expect(sources).toEqual({ 'modes.plan': project, 'modes.review': user, 'modes.docs': project });
  });

  test('a user moves limits either way, a project only down', () => {
    put(user, { limits: { stepsMax: 500, shellTimeoutMs: 1000, messageBytesMax: 10 } });
    put(project, { limits: { stepsMax: 200, shellTimeoutMs: 9000, toolOutputBytesMax: 99999 } });
    const { limits, sources } = load();
    expect(limits).toEqual({
      ...DEFAULT_LIMITS,
      stepsMax: 200,
      shellTimeoutMs: 1000,
      messageBytesMax: 10,
      toolOutputBytesMax: 49152,
    });
    expect(sources).toEqual({
      'limits.stepsMax': project,
      'limits.shellTimeoutMs': user,
      'limits.messageBytesMax': user,
    });
    // Loading for one directory leaves the defaults for the next one alone.
    expect(DEFAULT_LIMITS.stepsMax).toBe(100);
  });

  test.each(['{}', '\uFEFF{}\r\n', '{"modes":{},"limits":{}}'])('%j', (text) => {
    put(user, text);
    expect(load()).toEqual(defaultConfig());
  });

  test('a file in place of the directory means that there is none', () => {
    put(dirname(project), 'a file');
    expect(load().modes).toEqual({});
  });
});

describe('where the file of the user is', () => {
  test.each<[string, NodeJS.ProcessEnv, NodeJS.Platform, string]>([
    ['XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/x', HOME: '/h' }, 'linux', '/x'],
    ['a relative one is none', { XDG_CONFIG_HOME: 'x', HOME: '/h' }, 'linux', '/h/.config'],
    ['HOME', { HOME: '/h' }, 'darwin', '/h/.config'],
    ['neither', {}, 'linux', join(homedir(), '.config')],
    ['APPDATA', { APPDATA: '/a', XDG_CONFIG_HOME: '/x' }, 'win32', '/a'],
  ])('%s', (...[, env, platform, directory]) => {
    expect(userConfigPath(env, platform)).toBe(join(directory, 'planfold', 'config.json'));
  });
});

const MODE = 'lower-case letters, digits, - and _';
const SECTION = 'the text that the model reads in this mode, not blank';
const LIMITS =
  'stepsMax, toolOutputBytesMax, shellTimeoutMs, retriesMax, retryDelayMs, messageBytesMax, ' +
  'contextTokensMax, contextPercentMax';
const mode = (definition: unknown) => ({ modes: { m: definition } });

// A file, and the whole message without the path at the start of each line.
const BAD: [string, unknown, string[]][] = [
  ['a list', [], ['the file must be an object, got [].']],
  ['null', 'null', ['the file must be an object, got null.']],
  [
    'an unknown key',
    { provider: { x: 1 } },
    [
      '`provider` is unknown (got {"x":1}). Allowed at the top of the file: $schema, modes, limits, options, sandbox, providers.',
    ],
  ],
  [
    'tools and access in a mode',
    mode({ section: 's', tools: ['bash'], access: 'read' }),
    [
      '`modes.m.tools` is unknown (got ["bash"]). Allowed in `modes.m`: section, name, description.',
      '`modes.m.access` is unknown (got "read"). Allowed in `modes.m`: section, name, description.',
    ],
  ],
  [
    'the reserved mode',
    { modes: { default: { section: 's' } } },
    ['`modes.default` is reserved for having no mode: use another name (got {"section":"s"}).'],
  ],
  [
    'a mode that cannot be typed',
    { modes: { 'My Mode': { section: 's' } } },
    [`\`modes.My Mode\` is no mode name: use ${MODE} (got {"section":"s"}).`],
  ],
  ['no section', mode({ name: 'M' }), [`\`modes.m.section\` is missing. It must be ${SECTION}.`]],
  [
    'a blank section',
    mode({ section: ' \n' }),
    [`\`modes.m.section\` must be ${SECTION}, got " \\n".`],
  ],
  [
    'a definition that is text',
    mode('Plan first.'),
    ['`modes.m` must be an object such as {"section": "…"}, got "Plan first.".'],
  ],
  [
    'a label that is no text',
    mode({ section: 's', name: 1, description: null }),
    ['`modes.m.name` must be text, got 1.', '`modes.m.description` must be text, got null.'],
  ],
  [
    'modes as a list',
    { modes: [{ section: 's' }] },
    ['`modes` must be an object with a definition by mode name, got [{"section":"s"}].'],
  ],
  ['limits as a number', { limits: 5 }, ['`limits` must be an object with numbers, got 5.']],
  [
    'an unknown limit',
    { limits: { steps: 5 } },
    [`\`limits.steps\` is unknown (got 5). Allowed in \`limits\`: ${LIMITS}.`],
  ],
  ...[0, -1, 1.5, '5', null, 1e300].map((value): [string, unknown, string[]] => [
    `a limit of ${JSON.stringify(value)}`,
    { limits: { stepsMax: value } },
    [`\`limits.stepsMax\` must be a whole number above 0, got ${JSON.stringify(value)}.`],
  ]),
  [
    'a long value',
    mode('x'.repeat(200)),
    [`\`modes.m\` must be an object such as {"section": "…"}, got "${'x'.repeat(78)}….`],
  ],
  [
    'options that are none',
    { options: { sandbox: 'none', approval: true, color: 1 } },
    [
      '`options.sandbox` must be read-only, workspace-write, off, got "none".',
      '`options.approval` must be ask, auto, never, got true.',
      '`options.color` is unknown (got 1). Allowed in `options`: ' +
        'sandbox, approval, model, reasoning_effort.',
    ],
  ],
  [
    'a provider without an endpoint',
    { providers: { lab: { apiKeyEnv: 'a b', models: { m: { contextTokens: 0, x: 1 } } } } },
    [
      '`providers.lab.baseURL` is missing. It must be an http(s) URL such as "https://host/v1".',
      '`providers.lab.apiKeyEnv` must be the name of an environment variable, got "a b".',
      '`providers.lab.models.m.contextTokens` must be a whole number above 0, got 0.',
      '`providers.lab.models.m.x` is unknown (got 1). Allowed in `providers.lab.models.m`: ' +
        'contextTokens, outputTokens, reasoningEfforts, images, sendsReasoning, price.',
    ],
  ],
  [
    'a sandbox of another kind',
    { sandbox: { backend: 'docker', network: 'yes', writable: [] } },
    [
      '`sandbox.backend` must be auto, none, got "docker".',
      '`sandbox.network` must be true or false, got "yes".',
      '`sandbox.writable` is unknown (got []). Allowed in `sandbox`: backend, network.',
    ],
  ],
  [
    'several problems',
    { modes: { a: {}, b: { section: 1 } }, limits: { stepsMax: 0 }, x: 1 },
    [
      `\`modes.a.section\` is missing. It must be ${SECTION}.`,
      `\`modes.b.section\` must be ${SECTION}, got 1.`,
      '`limits.stepsMax` must be a whole number above 0, got 0.',
      '`x` is unknown (got 1). Allowed at the top of the file: $schema, modes, limits, options, sandbox, providers.',
    ],
  ],
];

describe('what is refused', () => {
  test.each(BAD)('%s', (_, content, problems) => {
    for (const path of [project, user]) {
      put(path, content);
      expect(problemOf(load)).toBe(problems.map((problem) => `${path}: ${problem}`).join('\n'));
      rmSync(path);
    }
  });

  test.each(['', '{', '{"modes":}', '{} {}', '// no'])('what is not JSON: %j', (text) => {
    put(project, text);
    // The reason in the middle is the engine's own and differs between its versions.
    const why = reasonOf(text);
    expect(problemOf(load)).toBe(`${project}: not JSON: ${why}. Fix it or remove the file.`);
  });

  test('a directory', () => {
    mkdirSync(user, { recursive: true });
    expect(problemOf(load)).toBe(
      `${user}: not a regular file. Put a JSON file there or remove it.`,
    );
  });

  test.skipIf(process.platform === 'win32')('a pipe or a device, without waiting for it', () => {
    mkdirSync(dirname(project), { recursive: true });
    execFileSync('mkfifo', [project]);
    expect(problemOf(load)).toContain(`${project}: not a regular file.`);
    rmSync(project);
    symlinkSync('/dev/zero', project);
    expect(problemOf(load)).toContain(`${project}: not a regular file.`);
  });

  test('a link that leads in a circle', () => {
    mkdirSync(dirname(project), { recursive: true });
    symlinkSync(project, project);
    expect(problemOf(load)).toMatch(/: cannot be read: ELOOP.*\. Make it readable or remove it\.$/);
  });
});

function reasonOf(text: string): string {
  try {
    return `taken: ${JSON.parse(text)}`;
  } catch (error) {
    return messageOf(error);
  }
}
