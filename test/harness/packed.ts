import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const REPOSITORY = new URL('../..', import.meta.url).pathname;

/** What `npm pack` says of the package it has made. */
export interface Packed {
  name: string;
  version: string;
  filename: string;
  unpackedSize: number;
  files: { path: string; size: number }[];
}

/** The package as a stranger gets it. */
export interface Installed {
  packed: Packed;
  /** The empty project that it was installed in. */
  project: string;
  /** The package in there. */
  root: string;
}

/** Packs what is built, and installs it in an empty directory without a network. */
export function installPacked(): Installed {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-packed-')));
  const [packed] = JSON.parse(
    // The tests beside this one run what is built: it must not be built anew under them.
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', home], REPOSITORY),
  ) as Packed[];
  if (!packed) throw new Error('npm packed nothing.');
  const project = mkdtempSync(join(home, 'project-'));
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  const quiet = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  npm(['install', ...quiet, join(home, packed.filename)], project);
  return { packed, project, root: join(project, 'node_modules', packed.name) };
}

function npm(args: string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
