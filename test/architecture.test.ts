import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = new URL('../src/', import.meta.url).pathname;

// A folder is a stage of the work: a file imports its own folder or a lower rank.
const RANKS: Record<string, number> = {
  base: 0,
  model: 1,
  sandbox: 1,
  log: 2,
  tools: 3,
  mcp: 4,
  modes: 4,
  loop: 5,
  session: 6,
  config: 6,
  acp: 7,
  cli: 8,
};

// What comes from outside has one home each; zod stands where something is parsed.
const HOMES: Record<string, RegExp> = {
  '@agentclientprotocol/sdk/unstable': /^acp\//,
  '@modelcontextprotocol/client': /^mcp\//,
  undici: /^model\/proxy\.ts$/,
  openai: /^model\/openai\.ts$/,
  execa: /^sandbox\/run\.ts$/,
  commander: /^cli\//,
  diff: /^cli\/diff_lines\.ts$/,
  'markdown-it': /^cli\/show\/markdown\.ts$/,
  ignore: /^tools\/ignored\.ts$/,
  picomatch: /^tools\//,
  zod: /^(model|log|tools|modes|config|acp|cli)\//,
};

interface Import {
  file: string;
  from: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found = text.matchAll(/(?:from |import\(|import )'([^'\n]+)'/g);
  return [...found].map(([, from = '']) => ({ file, from }));
});
const inside = imports.filter(({ from }) => from.startsWith('.'));

function folderOf(file: string): string {
  return file.split('/')[0] ?? '';
}

function targetOf({ file, from }: Import): string {
  return join(file, '..', from);
}

test('every file lies in a folder that has a rank', () => {
  expect(files.filter((file) => RANKS[folderOf(file)] === undefined)).toEqual([]);
});

test('a file imports its own folder or a lower rank', () => {
  const upward = inside.filter((one) => {
    const from = folderOf(one.file);
    const to = folderOf(targetOf(one));
    if (to === '..') return targetOf(one) !== '../package.json';
    return from !== to && (RANKS[to] ?? 99) >= (RANKS[from] ?? 0);
  });
  expect(upward).toEqual([]);
});

test('a package from outside is imported in its home only', () => {
  const strangers = imports.filter(({ file, from }) => {
    if (from.startsWith('.') || from.startsWith('node:')) return false;
    return !HOMES[from]?.test(file);
  });
  expect(strangers).toEqual([]);
});

test('no file imports itself through others', () => {
  const edges = new Map(files.map((file) => [file, inside.filter((one) => one.file === file)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (done.has(file)) return;
    done.add(file);
    for (const one of edges.get(file) ?? []) visit(targetOf(one), [...path, file]);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

test('no line is longer than 100 columns', () => {
  const long = files.flatMap((file) =>
    readFileSync(join(SRC, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.length > 100 ? [`${file}:${index + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

test('modes read neither sandbox nor configuration, and no enforcement reads modes', () => {
  const crossed = inside.filter((one) => {
    const [from, to] = [folderOf(one.file), folderOf(targetOf(one))];
    const enforcement = one.file === 'loop/permission.ts' || from === 'sandbox';
    return (from === 'modes' && to === 'sandbox') || (enforcement && to === 'modes');
  });
  expect(crossed).toEqual([]);
});
