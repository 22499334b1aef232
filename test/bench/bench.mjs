/**
 * Planfold against a bare agent, as ratios of medians over alternating runs on the same model.
 *
 *   node test/bench/bench.mjs [--runs N] [--check] [--agent "node path …"]
 *
 * `--check` exits with 1 when a ratio is over its limit; `--agent` measures another program in the
 * place of the built Planfold.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readLines, startAgent } from './client.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const CHUNKS = 10_000;
const WARM_PROMPTS = 10;
const SETTLE_MS = 500;

/** @typedef {Record<keyof typeof MEASURES, number>} Figures */

/** What is measured, in milliseconds or MiB, and the highest ratio that passes. */
const MEASURES = {
  initialize: { title: 'start to initialize', unit: 'ms', limit: 1.5 },
  newSession: { title: 'session/new', unit: 'ms', limit: undefined },
  firstPrompt: { title: 'first prompt', unit: 'ms', limit: 3 },
  warmPrompt: { title: 'warm prompt', unit: 'ms', limit: 2 },
  stream: { title: '10,000 streamed chunks', unit: 'ms', limit: 1.5 },
  idleMemory: { title: 'idle memory', unit: 'MiB', limit: 1.4 },
  peakMemory: { title: 'peak memory', unit: 'MiB', limit: 1.5 },
};

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

/** @type {{ argv: string[], figures: Figures[] }} */
const planfold = {
  argv: flags.agent?.split(' ').filter((word) => word !== '') ?? [
    process.execPath,
    join(HERE, '../../bin/planfold.js'),
    'acp',
  ],
  figures: [],
};
/** @type {{ argv: string[], figures: Figures[] }} */
const raw = { argv: [process.execPath, join(HERE, 'rawAgent.mjs')], figures: [] };

/** @type {{ inputTokens: number, cachedReadTokens: number }[]} */
const requests = [];
const model = spawn(process.execPath, [join(HERE, 'modelServer.mjs')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
try {
  const { port } = await new Promise((resolve) => {
    readLines(model.stdout, (line) => resolve(JSON.parse(line)));
  });
  // The first pair only warms the caches of the machine.
  for (let run = 0; run <= runs; run++) {
    process.stderr.write(`\rrun ${run} of ${runs}`);
    // Who goes first changes, so that neither gains from it.
    for (const who of run % 2 === 0 ? [raw, planfold] : [planfold, raw]) {
      const measured = await measure(who.argv, port);
      if (run > 0) who.figures.push(measured);
    }
  }
} finally {
  process.stderr.write('\r\u001B[K');
  model.stdin.end();
  if (model.exitCode === null) await once(model, 'exit');
}
const allWithin = report();
const [earliest, last] = [requests[0], requests.at(-1)];
if (earliest && last) {
  const share = (100 * last.cachedReadTokens) / last.inputTokens;
  print(`The first request has ${earliest.inputTokens} bytes; of the last, ${share.toFixed(1)} % are`);
  print('those of the one before it, which a provider can keep in its cache.');
}
if (flags.check && !allWithin) process.exitCode = 1;

/**
 * One life of an agent.
 * @param {string[]} argv
 * @param {number} port
 * @returns {Promise<Figures>}
 */
async function measure(argv, port) {
  const home = mkdtempSync(join(tmpdir(), 'planfold-bench-'));
  let from = performance.now();
  const lap = () => {
    const ms = performance.now() - from;
    from = performance.now();
    return ms;
  };
  const agent = startAgent(argv, {
    PATH: process.env['PATH'],
    HOME: home,
    PLANFOLD_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    OPENAI_API_KEY: 'bench',
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    PLANFOLD_MODEL: 'bench',
  });
  try {
    await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const initialize = lap();
    const { sessionId } = await agent.request('session/new', { cwd: home, mcpServers: [] });
    const newSession = lap();
    await sleep(SETTLE_MS);
    const idleMemory = agent.memory('VmRSS');

    /** @param {string} text @param {number} [chunks] a multiple of 4 */
    const prompt = async (text, chunks = 4) => {
      lap();
      const params = { sessionId, prompt: [{ type: 'text', text }] };
      const { usage } = await agent.request('session/prompt', params);
      const ms = lap();
      if (usage) requests.push(usage);
      const answer = agent.takeText();
      if (answer !== 'All is well.'.repeat(chunks / 4)) {
        throw new Error(`${argv.join(' ')} lost part of the answer to \`${text}\`: ${answer}`);
      }
      return ms;
    };
    const firstPrompt = await prompt('Hello');
    const warm = [];
    for (let count = 0; count < WARM_PROMPTS; count++) warm.push(await prompt('Hello again'));
    const stream = await prompt(`stream ${CHUNKS}`, CHUNKS);
    const peakMemory = agent.memory('VmHWM');
    const warmPrompt = median(warm);
    return { initialize, newSession, firstPrompt, warmPrompt, stream, idleMemory, peakMemory };
  } finally {
    await agent.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Prints the table. @returns {boolean} whether each ratio is within its limit */
function report() {
  const [cpu] = cpus();
  print(`node ${process.version}, ${cpus().length} cores, ${cpu?.model.trim()}, ${runs} runs`);
  print(row(['median', 'planfold', 'raw', 'ratio', 'limit']));
  let isWithin = true;
  for (const [key, { title, unit, limit }] of Object.entries(MEASURES)) {
    const name = /** @type {keyof Figures} */ (key);
    const ours = median(planfold.figures.map((run) => run[name]));
    const theirs = median(raw.figures.map((run) => run[name]));
    const ratio = ours / theirs;
    // A figure that could not be measured is no figure within the limit.
    const isMissed = limit !== undefined && !(ratio <= limit);
    if (isMissed) isWithin = false;
    const mark = isMissed ? '  missed' : '';
    const absolute = [ours, theirs].map((figure) => `${figure.toFixed(1)} ${unit}`);
    print(row([title, ...absolute, ratio.toFixed(2), limit?.toFixed(1) ?? '']) + mark);
  }
  return isWithin;
}

/** @param {string[]} cells */
function row([first = '', ...rest]) {
  return first.padEnd(24) + rest.map((cell) => cell.padStart(12)).join('');
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}

/** @param {readonly number[]} numbers */
function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below = Number.NaN, above = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? above : (below + above) / 2;
}
