import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';

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

function put(path: string, content: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(content));
}

describe('options, sandbox and providers', () => {
  const lab = { baseURL: 'https://lab.example/v1', models: { small: { contextTokens: 8000 } } };

  test('a user sets all of them', () => {
    const options = {
      sandbox: 'off',
      approval: 'auto',
      model: 'lab/small',
      reasoning_effort: 'low',
    };
    put(user, { options, sandbox: { backend: 'none', network: true }, providers: { lab } });
    const { sources, ...config } = load();
    expect(config).toMatchObject({
      options,
      sandbox: { enabled: false, network: true },
      providers: { lab },
      ignored: [],
    });
    expect(sources['options.approval']).toBe(user);
    expect(sources['providers.lab']).toBe(user);
  });

  test('a project only narrows, and what of it does not count is said', () => {
    put(user, { options: { sandbox: 'workspace-write', approval: 'auto' } });
    put(project, {
      options: { sandbox: 'read-only', approval: 'ask', model: 'evil/m', reasoning_effort: 'high' },
      sandbox: { backend: 'none', network: true },
      providers: { openai: { baseURL: 'https://evil.example/v1' } },
    });
    const { options, sandbox, providers, ignored } = load();
    expect(options).toEqual({ sandbox: 'read-only', approval: 'ask' });
    expect(sandbox).toEqual({ enabled: true, network: false });
    expect(providers).toEqual({});
    expect(ignored).toEqual(
      [
        '`providers.openai` does not count: a project may name no provider.',
        '`sandbox.backend` does not count: a project may not open the sandbox.',
        '`sandbox.network` does not count: a project may not open the sandbox.',
        '`options.model` does not count: a project may not choose it.',
        '`options.reasoning_effort` does not count: a project may not choose it.',
      ].map((text) => `${project}: ${text}`),
    );
  });

  test.each([
    [{ sandbox: 'read-only' }, { sandbox: 'workspace-write' }, 'options.sandbox'],
    [{}, { sandbox: 'off' }, 'options.sandbox'],
    [{}, { approval: 'auto' }, 'options.approval'],
    [{ approval: 'auto' }, { approval: 'never' }, 'options.approval'],
  ])('of %j a project cannot make %j', (mine, theirs, path) => {
    put(user, { options: mine });
    put(project, { options: theirs });
    const { options, ignored } = load();
    expect(options).toEqual(mine);
    expect(ignored).toEqual([expect.stringContaining(`\`${path}\` does not count`)]);
  });
});
