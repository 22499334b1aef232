import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { instructionsSection } from '../../src/loop/instructions.ts';

function textOf(cwd: string, secrets: readonly string[]): unknown {
  const { text } = instructionsSection(cwd, { own: join(cwd, 'none'), secrets });
  return (text as () => unknown)();
}

test('a link to a credential is no instruction, a link to anything else is', () => {
  const home = mkdtempSync(join(tmpdir(), 'planfold-home-'));
  mkdirSync(join(home, '.ssh'));
  mkdirSync(join(home, 'work'));
  writeFileSync(join(home, '.ssh/id'), 'KEY');
  writeFileSync(join(home, 'notes'), 'Be brief.');
  symlinkSync('../.ssh/id', join(home, 'work/AGENTS.md'));
  expect(textOf(join(home, 'work'), [join(home, '.ssh')])).toBe('');
  expect(textOf(join(home, 'work'), [join(home, '.ssh/id')])).toBe('');
  mkdirSync(join(home, 'other'));
  symlinkSync('../notes', join(home, 'other/AGENTS.md'));
  expect(textOf(join(home, 'other'), [join(home, '.ssh')])).toContain('Be brief.');
});
