import { expect, test } from 'vitest';
import { resolveProvider } from '../../src/model/provider.ts';

test.each([{}, { OPENAI_API_KEY: '', OPENAI_BASE_URL: ' ', PLANFOLD_MODEL: '\t' }])(
  'a blank variable counts as absent: %o',
  (env) => {
    expect(resolveProvider(env)).toEqual({
      baseURL: 'https://api.openai.com/v1',
      apiKey: undefined,
      apiKeyEnv: 'OPENAI_API_KEY',
      model: 'gpt-5',
    });
  },
);

test('the three variables name key, endpoint and model', () => {
  const env = {
    OPENAI_API_KEY: ' sk-1\n',
    OPENAI_BASE_URL: 'http://localhost:11434/v1/',
    PLANFOLD_MODEL: 'qwen3',
  };
  expect(resolveProvider(env)).toEqual({
    baseURL: 'http://localhost:11434/v1',
    apiKey: 'sk-1',
    apiKeyEnv: 'OPENAI_API_KEY',
    model: 'qwen3',
  });
});

test.each(['localhost:11434', 'ftp://host/v1', 'http://', 'api.openai.com'])(
  'a base URL of %j is refused with variable, value and way out',
  (value) => {
    expect(() => resolveProvider({ OPENAI_BASE_URL: value })).toThrow(
      `OPENAI_BASE_URL is ${JSON.stringify(value)}, which is no http(s) URL. ` +
        'Set it to an endpoint such as https://api.openai.com/v1, or unset it.',
    );
  },
);
