import { describe, expect, test } from 'vitest';
import { createModels } from '../../src/model/models.ts';
import { resolveProviders } from '../../src/model/provider.ts';

describe('the environment alone', () => {
  test.each([{}, { OPENAI_API_KEY: '', OPENAI_BASE_URL: ' ', PLANFOLD_MODEL: '\t' }])(
    'a blank variable counts as absent: %o',
    (env) => {
      const { byName, chosen } = resolveProviders(env);
      expect(chosen).toEqual({ provider: 'openai', model: 'gpt-5' });
      expect(byName.get('openai')).toMatchObject({
        baseURL: 'https://api.openai.com/v1',
        apiKey: undefined,
        apiKeyEnv: 'OPENAI_API_KEY',
      });
    },
  );

  test('the three variables name key, endpoint and model', () => {
    const env = {
      OPENAI_API_KEY: ' sk-1\n',
      OPENAI_BASE_URL: 'http://127.0.0.1:4000/v1/',
      PLANFOLD_MODEL: 'openai/gpt-5',
    };
    const { byName, chosen } = resolveProviders(env);
    expect(chosen).toEqual({ provider: 'custom', model: 'openai/gpt-5' });
    expect(byName.has('openai')).toBe(false);
    expect(byName.get('custom')).toEqual({
      name: 'custom',
      baseURL: 'http://127.0.0.1:4000/v1',
      apiKey: 'sk-1',
      apiKeyEnv: 'OPENAI_API_KEY',
      models: {},
      lists: false,
    });
  });

  test('the base URL of a known provider brings its models, and needs no key where it needs none', () => {
    const deepseek = { OPENAI_BASE_URL: 'https://api.deepseek.com', OPENAI_API_KEY: 'k' };
    expect(resolveProviders(deepseek).byName.get('deepseek')).toMatchObject({ apiKey: 'k' });
    const { byName, chosen } = resolveProviders({ OPENAI_BASE_URL: 'http://localhost:11434/v1' });
    expect(byName.get(chosen.provider)).toMatchObject({ name: 'ollama', apiKey: 'none' });
  });

  test.each([
    ['deepseek/deepseek-flash', { provider: 'deepseek', model: 'deepseek-flash' }],
    ['openrouter/openai/gpt-5', { provider: 'openrouter', model: 'openai/gpt-5' }],
    ['somebody/model', { provider: 'openai', model: 'somebody/model' }],
    ['/odd', { provider: 'openai', model: '/odd' }],
  ])('PLANFOLD_MODEL=%s', (PLANFOLD_MODEL, chosen) => {
    expect(resolveProviders({ PLANFOLD_MODEL }).chosen).toEqual(chosen);
  });

  test.each(['localhost:11434', 'ftp://host/v1', 'http://', 'api.openai.com'])(
    'a base URL of %j is refused with variable, value and way out',
    (value) => {
      expect(() => resolveProviders({ OPENAI_BASE_URL: value })).toThrow(
        `OPENAI_BASE_URL is ${JSON.stringify(value)}, which is no http(s) URL. ` +
          'Set it to an endpoint such as https://api.openai.com/v1, or unset it.',
      );
    },
  );
});

describe('configured', () => {
  const providers = {
    lab: {
      baseURL: 'https://lab.example/v1',
      apiKeyEnv: 'LAB_TOKEN',
      models: { small: { contextTokens: 8000, reasoningEfforts: [] }, large: {} },
    },
  };

  test('a provider is chosen by the model, and the environment goes before the file', () => {
    const configured = { providers, model: 'lab/small' };
    expect(resolveProviders({}, configured).chosen).toEqual({ provider: 'lab', model: 'small' });
    const env = { PLANFOLD_MODEL: 'gpt-5-mini' };
    expect(resolveProviders(env, configured).chosen.model).toBe('gpt-5-mini');
  });

  test('the models on offer are those that have a key, the chosen one first', () => {
    const configured = { providers, model: 'lab/large' };
    const { standard, list, keyNames } = createModels(
      resolveProviders({ LAB_TOKEN: 't', DEEPSEEK_API_KEY: 'k' }, configured),
    );
    expect(standard).toMatchObject({ id: 'lab/large', name: 'large' });
    expect(list().map(({ id }) => id)).toEqual([
      'lab/large',
      'deepseek/deepseek-flash',
      'deepseek/deepseek-v4-pro',
      'lab/small',
    ]);
    expect(list().at(-1)).toMatchObject({ contextTokens: 8000, reasoningEfforts: [] });
    expect(keyNames).toContain('LAB_TOKEN');
  });
});
