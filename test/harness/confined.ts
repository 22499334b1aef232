import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Command } from '../../src/sandbox/command.ts';
import { findSandbox } from '../../src/sandbox/find.ts';
import type { Confinement, FoundSandbox } from '../../src/sandbox/policy.ts';
import { createRunCommand } from '../../src/sandbox/run.ts';

/** The sandbox of this machine. */
export const found: FoundSandbox = await findSandbox(process.env);

/** Whether this machine has bubblewrap, and it works. */
export const hasBubblewrap = 'sandbox' in found && found.sandbox.name === 'bubblewrap';

/** Whether tests run as root. */
export const isRoot = process.getuid?.() === 0;

const left: string[] = [];

/** A new directory that the sandbox does not hide, as most places for what is temporary are. */
export function makeVisible(): string {
  const parent = isRoot ? '/var' : homedir();
  const directory = realpathSync(mkdtempSync(join(parent, '.planfold-confined-')));
  left.push(directory);
  return directory;
}

/** Removes what `makeVisible` made. */
export function removeVisible(): void {
  for (const path of left.splice(0)) rmSync(path, { recursive: true, force: true });
}

/** Writes files, and makes the directories for them. */
export function put(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

/** What a confined command did. */
export interface Outcome {
  output: string;
  exitCode: number | undefined;
  startError: string | undefined;
}

/** How a command of a test is run; the first root is its directory. */
export type Wanted = Partial<Confinement> & { roots: readonly string[] };

/** Starts `script` confined, with the network off and nothing secret unless `wanted` says so. */
export function startConfined(
  script: string,
  wanted: Wanted,
  { sandbox = found, ...options }: Partial<Command> & { sandbox?: FoundSandbox } = {},
) {
  const runCommand = createRunCommand({ env: process.env, sandbox: async () => sandbox });
  let output = '';
  const result = runCommand({
    argv: ['/bin/sh', '-c', script],
    cwd: wanted.roots[0] ?? '/',
    signal: new AbortController().signal,
    timeoutMs: 20_000,
    confinement: {
      mode: 'workspace-write',
      readable: [],
      secrets: [],
      network: false,
      ...wanted,
    },
    onOutput: (bytes) => {
      output += Buffer.from(bytes).toString();
    },
    ...options,
  });
  return { result, output: () => output };
}

/** Runs `script` confined, to its end. */
export async function confined(
  script: string,
  wanted: Wanted,
  options: Parameters<typeof startConfined>[2] = {},
): Promise<Outcome> {
  const { result, output } = startConfined(script, wanted, options);
  const { exitCode, startError } = await result;
  return { output: output(), exitCode, startError };
}
