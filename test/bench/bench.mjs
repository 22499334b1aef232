/**
 * Planfold against a bare agent, as ratios of medians over alternating runs on the same model.
 *
 *   node test/bench/bench.mjs [--runs N] [--check] [--agent "node path …"]
 *
 * `--check` exits with 1 when a limit is missed; `--agent` measures another program in the place of
 * the built Planfold.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readLines } from './client.mjs';
import { makeLoad, measureGrowth, measureLife, measureLoad } from './lives.mjs';
import { median, print, printRow, report } from './stats.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));

/** What is measured of a life, and what passes. */
const MEASURES = {
  initialize: { title: 'start to initialize', unit: 'ms', limit: 1.5 },
  newSession: { title: 'session/new right behind it', unit: 'ms', slack: 10 },
  firstPrompt: { title: 'first prompt', unit: 'ms', limit: 3 },
  warmPrompt: { title: 'warm prompt', unit: 'ms', limit: 2 },
  stream: { title: '10,000 streamed chunks', unit: 'ms', limit: 1.5 },
  idleMemory: { title: 'idle memory', unit: 'MiB', limit: 1.4 },
  peakMemory: { title: 'peak memory', unit: 'MiB', limit: 1.5 },
};

/** How much more than an early one something late may take, above the bare agent's own growth. */
const GROWTH_LIMIT = 1.25;

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    check: { type: 'boolean', default: false },
    agent: { type: 'string' },
  },
});
const runs = Number(flags.runs);
if (!Number.isInteger(runs) || runs < 1) {
  throw new Error(`--runs takes a whole number from 1 up, got \`${flags.runs}\`.`);
}

const planfold = flags.agent?.split(' ').filter((word) => word !== '') ?? [
  process.execPath,
  join(HERE, '../../bin/planfold.js'),
  'acp',
];
const raw = [process.execPath, join(HERE, 'rawAgent.mjs')];

const model = spawn(process.execPath, [join(HERE, 'modelServer.mjs')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
try {
  const { port } = await new Promise((resolve) => {
    readLines(model.stdout, (line) => resolve(JSON.parse(line)));
  });
  const isWithin = await compare(port);
  if (flags.check && !isWithin) process.exitCode = 1;
} finally {
  model.stdin.end();
  if (model.exitCode === null) await once(model, 'exit');
}

/** @param {number} port @returns {Promise<boolean>} whether every limit is kept */
async function compare(port) {
  const [cpu] = cpus();
  print(`node ${process.version}, ${cpus().length} cores, ${cpu?.model.trim()}, ${runs} runs`);
  printRow(['median', 'planfold', 'raw', 'compared', 'limit']);
  return [await compareLives(port), await compareLoads(port), await compareGrowth(port)].every(
    Boolean,
  );
}

/** @param {number} port */
async function compareLives(port) {
  /** @type {{ inputTokens: number, cachedReadTokens: number }[]} */
  const usages = [];
  const [ours, theirs] = await alternate((argv) =>
    measureLife({ argv, port }, (usage) => usages.push(usage)),
  );
  let isWithin = true;
  for (const [key, { title, ...limits }] of Object.entries(MEASURES)) {
    const name = /** @type {keyof typeof MEASURES} */ (key);
    const [our, their] = [ours, theirs].map((lives) => median(lives.map((life) => life[name])));
    if (!report(title, { ours: our, theirs: their, ...limits })) isWithin = false;
  }
  const [earliest, last] = [usages[0], usages.at(-1)];
  if (earliest && last) {
    const share = (100 * last.cachedReadTokens) / last.inputTokens;
    print(
      `  (The first request has ${earliest.inputTokens} bytes; of the last, ${share.toFixed(1)} %`,
    );
    print('  are those of the one before it, which a provider can keep in its cache.)');
  }
  return isWithin;
}

/** @param {number} port */
async function compareLoads(port) {
  const load = await makeLoad({ argv: planfold, port });
  const [ours, theirs] = await alternate((argv) => measureLoad({ argv, port }, load));
  const title = `load of 200 turns, ${load.frames.length} frames`;
  return report(title, { ours: median(ours), theirs: median(theirs), unit: 'ms', limit: 2 });
}

/** @param {number} port */
async function compareGrowth(port) {
  const [ours, theirs] = await alternate((argv) => measureGrowth({ argv, port }));
  let isWithin = true;
  for (const [title, early, late] of /** @type {const} */ ([
    ['sessions 41 to 50 beside 2 to 11', 'earlySession', 'lateSession'],
    ['turns 251 to 300 beside 101 to 150', 'earlyTurn', 'lateTurn'],
  ])) {
    const grown = (/** @type {typeof ours} */ lives) =>
      median(lives.map((life) => life[late] / life[early]));
    const figures = { ours: grown(ours), theirs: grown(theirs), unit: '×', limit: GROWTH_LIMIT };
    if (!report(title, figures)) isWithin = false;
  }
  return isWithin;
}

/**
 * What `measure` finds of Planfold and of the bare agent.
 * @template T
 * @param {(argv: string[]) => Promise<T>} measure
 * @returns {Promise<[T[], T[]]>}
 */
async function alternate(measure) {
  /** @type {Map<string[], T[]>} */
  const found = new Map([
    [planfold, []],
    [raw, []],
  ]);
  // The first pair only warms the caches of the machine.
  for (let run = 0; run <= runs; run++) {
    process.stderr.write(`\rrun ${run} of ${runs}`);
    // Who goes first changes, so that neither gains from it.
    for (const argv of run % 2 === 0 ? [raw, planfold] : [planfold, raw]) {
      const measured = await measure(argv);
      if (run > 0) found.get(argv)?.push(measured);
    }
  }
  process.stderr.write('\r\u001B[K');
  return [found.get(planfold) ?? [], found.get(raw) ?? []];
}
