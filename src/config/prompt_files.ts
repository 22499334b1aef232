import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow } from '../sandbox/policy.ts';
import { realPath } from '../tools/workspace.ts';

/** A prompt that a project keeps in a file, to be called by its name. */
export interface PromptFile {
  name: string;
  description: string;
  /** What may be typed behind the name. */
  hint: string | undefined;
  text: string;
}

const FILES_MAX = 100;
const FILE_BYTES_MAX = 64 * 1024;
const NAME = /^([a-z0-9][a-z0-9_-]*)\.md$/i;

/**
 * The prompt files of `<cwd>/.planfold/commands`, in the order of their names; what cannot be read
 * or is too long is none. A person calls them; nothing in them runs by itself.
 */
export function readPromptFiles(cwd: string): PromptFile[] {
  const directory = join(cwd, '.planfold', 'commands');
  return list(directory)
    .toSorted()
    .slice(0, FILES_MAX)
    .flatMap((file) => {
      const [, name = ''] = NAME.exec(file) ?? [];
      const path = join(directory, file);
      // A link out of the project could lead to what is no prompt, and is not the project's.
      const own = name !== '' && isBelow(realPath(path), realPath(cwd));
      const text = own ? readText(path) : undefined;
      return text === undefined ? [] : [parsePromptFile(name, text)];
    });
}

/** A prompt file with its front matter: `description` and `argument-hint`, a line each. */
export function parsePromptFile(name: string, text: string): PromptFile {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const [whole = '', matter = ''] = /^---\n(?:([^]*?)\n)?---(?:\n|$)/.exec(plain) ?? [];
  const fields = new Map(
    matter.split('\n').flatMap((line) => {
      const [, key = '', value = ''] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
      return key === '' ? [] : [[key, value.replace(/^(["'])(.*)\1$/, '$2')] as const];
    }),
  );
  return {
    name,
    description: fields.get('description') || `Prompt of this project: ${name}.md`,
    hint: fields.get('argument-hint') || undefined,
    text: plain.slice(whole.length).trim(),
  };
}

/** The prompt with what was typed behind its name: in the place of `$ARGUMENTS`, else after it. */
export function expandPrompt({ text }: PromptFile, typed: string): string {
  if (text.includes('$ARGUMENTS')) return text.replaceAll('$ARGUMENTS', () => typed);
  return typed === '' ? text : `${text}\n\n${typed}`;
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function readText(path: string): string | undefined {
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > FILE_BYTES_MAX) return undefined;
    const text = readFileSync(path, 'utf8');
    return text.trim() === '' ? undefined : text;
  } catch {
    return undefined;
  }
}
