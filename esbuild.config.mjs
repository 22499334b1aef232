import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { lateSchemas } from './.ci/build/late_schemas.mjs';
import { writeLicences } from './.ci/build/licences.mjs';
import { writeScripts } from './.ci/build/scripts.mjs';
import { writeTypes } from './.ci/build/types.mjs';
import { warm } from './.ci/build/warm.mjs';

const options = {
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.11',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};

rmSync('dist', { recursive: true, force: true });

const program = await build({
  ...options,
  entryPoints: { main: 'src/cli/main.ts' },
  outdir: 'dist/program',
  write: false,
  format: 'esm',
  // What is imported when it is needed becomes a file of its own: an editor that starts the agent
  // does not wait until the model client or the command line have been parsed.
  splitting: true,
  define: { 'import.meta.url': 'module.url' },
  plugins: [lateSchemas],
});
// What an agent has loaded when its first session is open.
const core = ['cli/main', 'cli/acp', 'acp/desk', 'acp/server'].map((name) => `src/${name}.ts`);
const BUILD = JSON.stringify(await writeScripts('dist/program', program, core));

const start = await build({
  ...options,
  entryPoints: { planfold: 'src/cli/start.ts' },
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  define: { BUILD },
});

// A bundle of its own: sharing chunks with it would cut the agent's into smaller pieces.
const log = await build({ ...options, entryPoints: { log: 'src/log/public.ts' }, format: 'esm' });
writeTypes();

warm();
const schema = execFileSync(process.execPath, ['bin/planfold.js', 'config', '--schema']);
writeFileSync('dist/config.schema.json', schema);

const metafiles = [program.metafile, start.metafile, log.metafile];
writeLicences('dist/THIRD_PARTY_LICENSES.txt', metafiles);
