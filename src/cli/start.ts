import { join } from 'node:path';
import { cacheDirectory } from '../base/directories.ts';
import { openPrivateCache } from '../base/private_cache.ts';
import { createLoader } from './chunks.ts';
import { openCodeCache } from './code_cache.ts';

// Names the build; `esbuild.config.mjs` puts it in.
declare const BUILD: string;

// Beside the program where that is one's own, as after an installation without privileges.
const cache = openPrivateCache([join(__dirname, 'code'), cacheDirectory(process.env)]);
const load = createLoader({
  directory: join(__dirname, 'program'),
  cache: openCodeCache(cache, BUILD),
  requireNode: require,
});
const { main } = load('main.js') as typeof import('./main.ts');
main(cache);
