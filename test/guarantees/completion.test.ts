import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer } from '../harness/sse.ts';
import { startInTerminal } from '../harness/terminal.ts';

const BINARY = new URL('../../bin/planfold.js', import.meta.url).pathname;

let server: ModelServer;
let place: { cwd: string; env: NodeJS.ProcessEnv };
let id: string;

// A session whose title would be run by whoever took it for shell text.
beforeAll(async () => {
  server = await startModelServer(() => answer({ text: 'Yes.' }));
  const editor = await openEditor({ server });
  await editor.prompt("$(touch pwned) `touch pwned` '; touch pwned; '");
  await editor.close();
  id = editor.sessionId;
  const home = join(editor.cwd, '..');
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const shim = `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`;
  writeFileSync(join(bin, 'planfold'), shim, { mode: 0o755 });
  const PATH = `${bin}:${process.env['PATH']}`;
  const env = { PATH, HOME: home, TERM: 'xterm', PLANFOLD_HOME: join(home, 'data') };
  place = { cwd: editor.cwd, env };
});
afterAll(() => server.close());

function shell(name: string, ...args: string[]) {
  return spawnSync(name, args, { ...place, encoding: 'utf8' });
}

const isThere = (name: string) => shell(name, '-c', 'exit 0').status === 0;

/** The lines to complete, with some of what must be offered and what must not. */
const CASES: [line: string, offered: string[], not: string[]][] = [
  ['planfold ', ['run', 'sessions', 'completion', 'help'], ['--help', 'list']],
  ['planfold se', ['sessions'], ['run']],
  ['planfold run --', ['--mode', '--resume', '--approve-plan'], ['--cwd', 'run']],
  ['planfold run --output ', ['text', 'json', 'jsonl'], ['run']],
  ['planfold sessions ', ['list', 'fork', 'rm'], ['run']],
  ['planfold sessions list --', ['--cwd', '--limit'], ['--mode']],
  ['planfold completion ', ['bash', 'zsh', 'fish'], []],
];

describe('bash', () => {
  const complete = (line: string) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    const script = `source <(planfold completion bash); COMP_WORDS=(${words.join(' ')})
      COMP_CWORD=${words.length - 1}; _planfold; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = shell('bash', '--norc', '-c', script);
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  };
  test.each(CASES)('%j', (line, offered, not) => {
    const found = complete(line);
    expect(found).toEqual(expect.arrayContaining(offered));
    expect(found.filter((word) => not.includes(word))).toEqual([]);
  });
  test.each(['planfold sessions path ', 'planfold run --resume ', 'planfold run hi --fork 0'])(
    '%j: the ids of sessions',
    (line) => {
      expect(complete(line)).toEqual([id]);
      expect(readdirSync(place.cwd)).not.toContain('pwned');
    },
  );
  test('words of a prompt are no commands', () => {
    expect(complete('planfold run sessions ')).toEqual(['']);
  });
});

describe('fish', () => {
  const complete = (line: string) => {
    const script = `planfold completion fish | source; complete -C '${line}'`;
    const { stdout, stderr } = shell('fish', '--no-config', '-c', script);
    expect(stderr).toBe('');
    return stdout.split('\n').map((found) => found.split('\t')[0] ?? '');
  };
  test.for(CASES)('%j', ([line, offered, not], { skip }) => {
    if (!isThere('fish')) skip('fish is not installed.');
    const found = complete(line);
    expect(found).toEqual(expect.arrayContaining(offered));
    expect(found.filter((word) => not.includes(word))).toEqual([]);
  });
  test('the ids of sessions', ({ skip }) => {
    if (!isThere('fish')) skip('fish is not installed.');
    expect(complete('planfold run --resume ')).toEqual([id, '']);
    expect(readdirSync(place.cwd)).not.toContain('pwned');
  });
});

test('zsh', async ({ skip }) => {
  if (!isThere('zsh')) skip('zsh is not installed.');
  const { until, type, exited } = startInTerminal('zsh -f -i', place);
  type(
    "PS1='rea''dy> '; autoload -U compinit; compinit -u -D; source <(planfold completion zsh)\r",
  );
  await until('ready> ');
  // What was completed is run: it says whether it was the right thing.
  type('planfold sess\tpa\t0\t\r');
  await until(`${id}.jsonl`);
  await until('ready> ');
  type('planfold sessions list --lim\tmany\r');
  await until('`many` is no count');
  await until('ready> ');
  type('exit\r');
  await exited;
  expect(readdirSync(place.cwd)).not.toContain('pwned');
});

test('a shell that is not known is refused with those that are', () => {
  const { status, stderr } = shell(join(place.cwd, '../bin/planfold'), 'completion', 'tcsh');
  expect(stderr).toContain('Allowed choices are bash, zsh, fish');
  expect(status).toBe(1);
});
