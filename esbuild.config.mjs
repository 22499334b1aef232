import { build } from 'esbuild';

// Bundled CommonJS dependencies call `require` for Node's own modules; ESM has none of its own.
const banner =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

await build({
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/planfold.js',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.11',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  banner: { js: banner },
  logLevel: 'warning',
});
