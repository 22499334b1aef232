import { expect, test } from 'vitest';
import { credentialPaths } from '../../src/sandbox/credentials.ts';

test('what lies in the home directory, and where variables have moved it', () => {
  const paths = credentialPaths('/h', {
    XDG_CONFIG_HOME: '/c',
    KUBECONFIG: '/k/one:/k/two:relative',
    AWS_CONFIG_FILE: '',
    GNUPGHOME: '/',
  });
  for (const path of ['/h/.ssh', '/h/.npmrc', '/h/.config/gh', '/c/gh', '/k/one', '/k/two']) {
    expect(paths).toContain(path);
  }
  expect(paths).not.toContain('/');
  expect(paths.every((path) => path.startsWith('/'))).toBe(true);
});

test('a configuration directory that is not absolute does not count', () => {
  const paths = credentialPaths('/h', { XDG_CONFIG_HOME: 'relative' });
  expect(paths).toEqual(credentialPaths('/h', {}));
});
