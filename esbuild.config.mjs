import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { writeLicences } from './.ci/build/licences.mjs';
import { writeTypes } from './.ci/build/types.mjs';

// Bundled CommonJS dependencies call `require` for Node's own modules; ESM has none of its own.
const banner =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const options = {
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.11',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};

rmSync('dist', { recursive: true, force: true });

const agent = await build({
  ...options,
  entryPoints: { planfold: 'src/cli/main.ts' },
  // What is imported when it is needed becomes a file of its own: an editor that starts the agent
  // does not wait until the model client or the command line have been parsed.
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  banner: { js: banner },
});

// A bundle of its own: sharing chunks with it would cut the agent's into smaller pieces.
const log = await build({ ...options, entryPoints: { log: 'src/log/public.ts' } });
writeTypes();

const schema = execFileSync(process.execPath, ['bin/planfold.js', 'config', '--schema']);
writeFileSync('dist/config.schema.json', schema);

writeLicences('dist/THIRD_PARTY_LICENSES.txt', [agent.metafile, log.metafile]);
