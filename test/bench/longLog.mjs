/**
 * Opens a log of 10 MB and one of 1 GB, each with a compaction near its end: what `session/resume` and
 * `session/load` take in time and memory.
 *
 *   node test/bench/longLog.mjs [--runs N] [--megabytes 1000]
 *
 * The large log is written to a temporary directory and removed again.
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startAgent } from './client.mjs';

const BINARY = join(dirname(fileURLToPath(import.meta.url)), '../../bin/planfold.js');
const TIME = '2026-01-01T00:00:00.000Z';
const TEXT = 'All work and no play makes a long log. '.repeat(100);
const KEPT_TURNS = 20;

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    megabytes: { type: 'string', default: '1000' },
  },
});

/** Writes a log of about that size. @param {string} path @param {string} cwd @param {number} bytes */
function writeLog(path, cwd, bytes) {
  mkdirSync(dirname(path), { recursive: true });
  const fd = openSync(path, 'w');
  let seq = 0;
  let turns = 0;
  /** @type {string[]} */
  let lines = [];
  /** @param {object} fact */
  const add = (fact) => {
    seq += 1;
    lines.push(JSON.stringify({ seq, time: TIME, ...fact }));
  };
  const flush = () => {
    const length = writeSync(fd, `${lines.join('\n')}\n`);
    lines = [];
    return length;
  };
  const header = { model: 'bench', settings: {}, system: [], tools: [] };
  const headerSeq = 4;
  const addTurn = () => {
    turns += 1;
    add({ type: 'turn/start', turn: turns });
    add({ type: 'user/message', messageId: `u${turns}`, content: [{ type: 'text', text: TEXT }] });
    if (turns === 1) add({ type: 'request/header', reason: 'initial', header });
    add({ type: 'step/start', step: 1, headerSeq, sha256: '0'.repeat(64) });
    const answer = { messageId: `a${turns}`, text: TEXT, calls: [], finish: 'stop' };
    add({ type: 'assistant/message', ...answer });
    add({ type: 'step/end', step: 1 });
    add({ type: 'turn/end', turn: turns, stopReason: 'end_turn' });
    return flush();
  };
  const id = path.replace(/^.*\//, '').replace('.jsonl', '');
  const agent = { name: 'planfold', version: '0.0.0' };
  add({ type: 'session/created', v: 1, id, cwd, additionalDirectories: [], agent });
  for (let left = bytes; left > 0;) left -= addTurn();
  const throughSeq = seq;
  for (let count = 0; count < KEPT_TURNS; count++) addTurn();
  turns += 1;
  add({ type: 'turn/start', turn: turns });
  const open = { turn: turns, openCalls: [], openAsks: {}, images: [] };
  const state = { seq, mode: 'default', toldMode: 'default', knobs: {}, todos: [], plans: {} };
  Object.assign(state, { header: { seq: headerSeq, value: header }, filesSeen: {}, turns, open });
  add({ type: 'compaction', compactionId: 'c', summary: 'A long story.', throughSeq, state });
  add({ type: 'turn/end', turn: turns, stopReason: 'end_turn' });
  addTurn();
  closeSync(fd);
}

/** @param {string} method @param {string} home @param {string} sessionId */
async function measure(method, home, sessionId) {
  const env = { ...process.env, PLANFOLD_HOME: join(home, 'data'), XDG_CONFIG_HOME: home };
  const client = startAgent([process.execPath, BINARY, 'acp'], env, { keepText: false });
  await client.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  // What is loaded behind the first answer is no part of what is measured.
  await client.request('session/list', {});
  const start = performance.now();
  await client.request(method, { sessionId, cwd: home, mcpServers: [] });
  const ms = performance.now() - start;
  const peak = client.memory('VmHWM');
  await client.stop();
  return { ms, peak };
}

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

const home = mkdtempSync(join(tmpdir(), 'planfold-long-'));
try {
  const sizes = [10, Number(flags.megabytes)];
  for (const [index, size] of sizes.entries()) {
    writeLog(join(home, 'data/sessions/bench', `session${index}.jsonl`), home, size * 1e6);
  }
  console.log('median            10 MB              ', `${sizes[1]} MB             ratio`);
  for (const [method, runs] of [
    ['session/resume', Number(flags.runs)],
    ['session/load', 1],
  ]) {
    /** @type {{ ms: number, peak: number }[][]} */
    const found = [[], []];
    for (let run = 0; run < runs; run++) {
      for (const index of [0, 1])
        found[index]?.push(await measure(method, home, `session${index}`));
    }
    const [small, large] = found.map((all) => ({
      ms: median(all.map(({ ms }) => ms)),
      peak: median(all.map(({ peak }) => peak)),
    }));
    const show = ({ ms, peak }) => `${ms.toFixed(1)} ms ${peak.toFixed(0)} MiB`.padEnd(20);
    const ratio = `${(large.ms / small.ms).toFixed(2)} time, ${(large.peak / small.peak).toFixed(2)} memory`;
    console.log(method.padEnd(17), show(small), show(large), ratio);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
