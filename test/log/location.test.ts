import { describe, expect, test } from 'vitest';
import { dataDirectory, logPath, spillDirectory } from '../../src/log/location.ts';

describe.runIf(process.platform === 'linux')('the data directory', () => {
  test.each([
    [{ PLANFOLD_HOME: '/p', XDG_DATA_HOME: '/x', HOME: '/h' }, '/p'],
    [{ XDG_DATA_HOME: '/x', HOME: '/h' }, '/x/planfold'],
    [{ PLANFOLD_HOME: '', XDG_DATA_HOME: '', HOME: '/h' }, '/h/.local/share/planfold'],
  ])('of %j is %s', (env, directory) => {
    expect(dataDirectory(env)).toBe(directory);
  });
});

test('directories that read alike have folders of their own', () => {
  const folders = ['/a/b', '/a-b', '/a b', '/'].map((cwd) => logPath('/data', cwd, 'id'));
  expect(new Set(folders).size).toBe(4);
  for (const path of folders) expect(path).toMatch(/^\/data\/sessions\/[\w.-]+\/id\.jsonl$/);
});

test('outputs that are too long lie beside their log', () => {
  expect(spillDirectory('/data/sessions/x/id.jsonl')).toBe('/data/sessions/x/id.outputs');
});
