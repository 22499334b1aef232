import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { once } from '../base/once.ts';
import type { PromptSection } from '../log/request.ts';
import { isBelow } from '../sandbox/policy.ts';
import { realPath } from '../tools/workspace.ts';

const FILE_BYTES_MAX = 32 * 1024;

/**
 * What agents are told by file: the person's own `AGENTS.md`, then each from the root of the
 * repository down to `cwd`, outermost first. Read once, when the session opens, so that the header
 * stays as it is. Never one of `secrets`, to which a project could make a link.
 */
export function instructionsSection(
  cwd: string,
  { own, secrets }: { own: string; secrets: readonly string[] },
): PromptSection {
  const hidden = once(() => secrets.map(realPath));
  const texts = [own, ...instructionFiles(cwd)].filter(existsSync).flatMap((path) => {
    const real = realPath(path);
    if (hidden().some((secret) => isBelow(real, secret))) return [];
    const text = readInstructions(path);
    return text === '' ? [] : [`# Instructions from ${path}\n\n${text}`];
  });
  const text = texts.join('\n\n');
  return { name: 'instructions', order: 300, text: () => text };
}

function instructionFiles(cwd: string): string[] {
  const directories = [cwd];
  while (!existsSync(join(directories[0] ?? cwd, '.git'))) {
    const parent = dirname(directories[0] ?? cwd);
    // Outside any repository only the directory itself speaks for the project.
    if (parent === directories[0]) return [join(cwd, 'AGENTS.md')];
    directories.unshift(parent);
  }
  return directories.map((directory) => join(directory, 'AGENTS.md'));
}

function readInstructions(path: string): string {
  try {
    // A pipe or a device in its place would hang the start; it says nothing either.
    if (!statSync(path).isFile()) return '';
    const bytes = readFileSync(path);
    const text = bytes.subarray(0, FILE_BYTES_MAX).toString('utf8').trim();
    return bytes.length > FILE_BYTES_MAX ? `${text}\n(cut at ${FILE_BYTES_MAX} bytes)` : text;
  } catch {
    // No such file, or none that can be read: the project has nothing to say.
    return '';
  }
}
