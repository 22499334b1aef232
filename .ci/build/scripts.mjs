import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { transform } from 'esbuild';

/**
 * Writes ESM that esbuild made as what `src/cli/chunks.ts` takes: functions over CommonJS, for only
 * of scripts does Node 20 let V8 keep the compiled code. What the entry points of `core` need is one
 * file, since a start that opens forty waits for them; the rest is a file each. Returns what tells
 * this build from others.
 */
export async function writeScripts(directory, { outputFiles, metafile }, core) {
  const names = coreNames(metafile, core);
  const scripts = new Map([['core.js', '']]);
  const members = [];
  for (const { path, text } of outputFiles) {
    const name = basename(path);
    const script = await toFunction(text);
    if (names.has(name)) members.push(`${JSON.stringify(name)}:${script}`);
    else scripts.set(name, `(${script})`);
  }
  scripts.set('core.js', `({${members.join(',')}})`);

  const digest = createHash('sha256');
  mkdirSync(directory, { recursive: true });
  for (const [name, script] of scripts) {
    digest.update(`${name}\n${script}\n`);
    writeFileSync(join(directory, name), script);
  }
  return digest.digest('hex').slice(0, 16);
}

// The outputs of these entry points, and what they import in turn.
function coreNames({ outputs }, core) {
  const names = new Set();
  const add = (path) => {
    if (names.has(basename(path))) return;
    names.add(basename(path));
    for (const { path: imported, kind } of outputs[path].imports) {
      if (kind === 'import-statement' && imported in outputs) add(imported);
    }
  };
  for (const entryPoint of core) {
    const found = Object.keys(outputs).find((path) => outputs[path].entryPoint === entryPoint);
    if (found === undefined) throw new Error(`${entryPoint} is imported nowhere by itself.`);
    add(found);
  }
  return names;
}

async function toFunction(text) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.11',
    minify: true,
    supported: { 'dynamic-import': false },
  });
  return `function(exports,require,module){${code}}`;
}
