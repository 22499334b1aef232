import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { once } from '../base/once.ts';
import type { CodeCache } from './code_cache.ts';

type Require = (name: string) => unknown;

interface Module {
  exports: unknown;
  /** Stands for `import.meta.url`. */
  url: string;
}

/** What a built module is: a function over what a CommonJS module has. */
type Chunk = (exports: unknown, require: Require, module: Module) => void;

/** What the file of the modules that every agent needs evaluates to, and the others of one each. */
type Core = Readonly<Record<string, Chunk>>;

// Modules of Node's that take their time and that a start does without: loaded when first used.
const LATE = new Set(['node:child_process', 'node:https']);

/** Where the built program is, and what it is loaded with. */
export interface Program {
  directory: string;
  cache: CodeCache;
  /** For Node's own modules. */
  requireNode: Require;
}

/**
 * Loads the modules of the built program by their names, each once, with the code that an earlier
 * process compiled of them where the cache has it.
 */
export function createLoader({ directory, cache, requireNode }: Program): Require {
  const modules = new Map<string, Module>();
  const core = evaluate('core.js') as Core;

  function evaluate(name: string): unknown {
    const filename = join(directory, name);
    const source = readFileSync(filename, 'utf8');
    const cachedData = cache.find(name);
    const script = new Script(source, { filename, ...(cachedData ? { cachedData } : {}) });
    // V8 looks at where the code comes from by itself, and compiles the source if it will not do.
    cache.add(name, script, script.cachedDataRejected ? undefined : cachedData);
    return script.runInThisContext();
  }

  function load(name: string): unknown {
    const known = modules.get(name);
    if (known) return known.exports;
    const module: Module = { exports: {}, url: pathToFileURL(join(directory, name)).href };
    modules.set(name, module);
    const chunk = core[name] ?? (evaluate(name) as Chunk);
    chunk(module.exports, require, module);
    return module.exports;
  }
  // Modules import each other from the one directory that they are in.
  function require(path: string): unknown {
    if (LATE.has(path)) return late(() => requireNode(path));
    return path.startsWith('.') ? load(basename(path)) : requireNode(path);
  }
  return load;
}

function late(make: () => unknown): object {
  const made = once(() => make() as object);
  return new Proxy({}, { get: (_, key) => Reflect.get(made(), key) });
}
