import { join } from 'node:path';
import { cacheDirectory } from '../base/directories.ts';
import { createLoader } from './chunks.ts';
import { openCodeCache } from './code_cache.ts';

// Names the build; `esbuild.config.mjs` puts it in.
declare const BUILD: string;

createLoader({
  directory: join(__dirname, 'program'),
  cache: openCodeCache(cacheDirectory(process.env), BUILD),
  requireNode: require,
})('main.js');
