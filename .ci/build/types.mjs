import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TYPES = 'dist/types';
const IMPORT = /(from |import\()'([^']+)'/g;

/**
 * Writes the declarations of `planfold/log` into `dist/types`: what `src/log/public.ts` reaches, and
 * nothing else. Throws where they name a package: whoever installs this one has no other.
 */
export function writeTypes() {
  execFileSync('node_modules/.bin/tsc', ['--project', '.ci/build/types.json'], {
    stdio: 'inherit',
  });
  const reached = new Set();
  reach('log/public.d.ts', reached);
  for (const file of readdirSync(TYPES, { recursive: true })) {
    if (file.endsWith('.ts') && !reached.has(file)) rmSync(join(TYPES, file));
  }
}

function reach(file, reached) {
  if (reached.has(file)) return;
  reached.add(file);
  const path = join(TYPES, file);
  const text = readFileSync(path, 'utf8');
  for (const [, , from] of text.matchAll(IMPORT)) {
    if (!from.startsWith('.')) throw new Error(`${path} needs \`${from}\`, which is not shipped.`);
    reach(join(dirname(file), from.replace(/\.ts$/, '.d.ts')), reached);
  }
  // Older compilers resolve only the names that the modules have when they run.
  writeFileSync(
    path,
    text.replace(IMPORT, (whole) => whole.replace(/\.ts'$/, ".js'")),
  );
}
