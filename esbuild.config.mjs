import { rmSync } from 'node:fs';
import { build } from 'esbuild';

// Bundled CommonJS dependencies call `require` for Node's own modules; ESM has none of its own.
const banner =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

rmSync('dist', { recursive: true, force: true });

await build({
  entryPoints: { planfold: 'src/cli/main.ts' },
  outdir: 'dist',
  bundle: true,
  // What is imported when it is needed becomes a file of its own: an editor that starts the agent
  // does not wait until the model client or the command line have been parsed.
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20.11',
  minify: true,
  legalComments: 'none',
  banner: { js: banner },
  logLevel: 'warning',
});
