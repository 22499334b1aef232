import { expect, test } from 'vitest';
import { commandEnvironment, userShell } from '../../src/sandbox/environment.ts';
import { createRunCommand } from '../../src/sandbox/run.ts';

const QUIET = { PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };

test('keeps the environment but for the harness its secrets', () => {
  const env = {
    PATH: '/bin',
    HOME: '/home/u',
    OPENAI_API_KEY: 'sk-one',
    deepseek_api_key: 'sk-two',
    MY_TOKEN: 'sk-three',
    ALIAS: 'sk-one',
    ALIAS_OF_NAMED: 'sk-three',
    UNSET: undefined,
    API_KEY_FILE: '/path',
  };
  expect(commandEnvironment(env, ['MY_TOKEN'])).toEqual({
    PATH: '/bin',
    HOME: '/home/u',
    API_KEY_FILE: '/path',
    ...QUIET,
  });
});

test('a key that is empty or a mere flag takes no other variable with it', () => {
  const env = { EMPTY_API_KEY: '', FLAG_API_KEY: '1', BLANK: '', SHLVL: '1' };
  expect(commandEnvironment(env, [])).toEqual({ BLANK: '', SHLVL: '1', ...QUIET });
});

test('a real command does not see the key, by name or by value', async () => {
  const env = { ...process.env, OPENAI_API_KEY: 'sk-secret-4711', OTHER_NAME: 'sk-secret-4711' };
  let output = '';
  const result = await createRunCommand({ env: commandEnvironment(env, ['OPENAI_API_KEY']) })({
    argv: ['/bin/sh', '-c', 'env; echo "[$OPENAI_API_KEY]"'],
    cwd: '/',
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    onOutput: (bytes) => {
      output += Buffer.from(bytes).toString();
    },
  });
  expect(result.exitCode).toBe(0);
  expect(output).toMatch(/^PATH=/m);
  expect(output).toMatch(/^\[\]$/m);
  expect(output).not.toContain('4711');
});

test.each([
  [{ SHELL: '/usr/bin/zsh' }, '/usr/bin/zsh'],
  [{ SHELL: 'zsh' }, '/bin/sh'],
  [{ SHELL: '' }, '/bin/sh'],
  [{}, '/bin/sh'],
])('the shell of %j is %s', (env, shell) => {
  expect(userShell(env)).toBe(shell);
});
