/** The lives of an agent that the benchmark measures, each in a process and a home of its own. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAgent } from './client.mjs';
import { median } from './stats.mjs';

const CHUNKS = 10_000;
const WARM_PROMPTS = 10;
const SESSIONS = 50;
const TURNS = 300;
const LOADED_TURNS = 200;
const SETTLE_MS = 500;

/** How an agent is started, and the model that it talks to. @typedef {{ argv: string[], port: number }} Start */

/**
 * @template T
 * @param {Start} start
 * @param {(agent: ReturnType<typeof startAgent>, home: string, start: number) => Promise<T>} live
 * @returns {Promise<T>}
 */
async function withAgent({ argv, port }, live, prepare = (/** @type {string} */ _home) => {}) {
  const home = mkdtempSync(join(tmpdir(), 'planfold-bench-'));
  prepare(home);
  const start = performance.now();
  const agent = startAgent(argv, {
    PATH: process.env['PATH'],
    HOME: home,
    PLANFOLD_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    OPENAI_API_KEY: 'bench',
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    PLANFOLD_MODEL: 'bench',
    BENCH_FRAMES: join(home, 'frames.jsonl'),
  });
  try {
    return await live(agent, home, start);
  } finally {
    await agent.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

const INITIALIZE = { protocolVersion: 1, clientCapabilities: {} };

/** @param {string} sessionId @param {string} text */
function toPrompt(sessionId, text) {
  return { sessionId, prompt: [{ type: 'text', text }] };
}

/** @param {() => Promise<unknown>} work milliseconds that it takes */
async function time(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/**
 * From the start over a few prompts to a long answer. Milliseconds and MiB.
 * @param {Start} start
 * @param {(usage: { inputTokens: number, cachedReadTokens: number }) => void} onUsage
 */
export function measureLife(start, onUsage) {
  return withAgent(start, async (agent, home, started) => {
    await agent.request('initialize', INITIALIZE);
    const initialize = performance.now() - started;
    let sessionId = '';
    const newSession = await time(async () => {
      ({ sessionId } = await agent.request('session/new', { cwd: home, mcpServers: [] }));
    });
    await sleep(SETTLE_MS);
    const idleMemory = agent.memory('VmRSS');
    /** @param {string} text @param {number} [chunks] a multiple of 4 */
    const prompt = async (text, chunks = 4) => {
      const ms = await time(async () => {
        const { usage } = await agent.request('session/prompt', toPrompt(sessionId, text));
        if (usage) onUsage(usage);
      });
      const answer = agent.takeText();
      if (answer !== 'All is well.'.repeat(chunks / 4)) {
        throw new Error(
          `${start.argv.join(' ')} lost part of the answer to \`${text}\`: ${answer}`,
        );
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
  });
}

/** What a late `session/new`, and a late turn, take beside early ones, in milliseconds. @param {Start} start */
export function measureGrowth(start) {
  return withAgent(start, async (agent, home) => {
    await agent.request('initialize', INITIALIZE);
    const sessions = [];
    let sessionId = '';
    for (let count = 0; count <= SESSIONS; count++) {
      const ms = await time(async () => {
        ({ sessionId } = await agent.request('session/new', { cwd: home, mcpServers: [] }));
      });
      sessions.push(ms);
    }
    const turns = [];
    for (let count = 0; count < TURNS; count++) {
      turns.push(await time(() => agent.request('session/prompt', toPrompt(sessionId, 'Hello'))));
    }
    return {
      // The first one waits for what is loaded once.
      earlySession: median(sessions.slice(1, 11)),
      lateSession: median(sessions.slice(-10)),
      // Until then the code is still being compiled.
      earlyTurn: median(turns.slice(100, 150)),
      lateTurn: median(turns.slice(-50)),
    };
  });
}

/** The frames of a session of many turns as its `session/load` shows them. @param {Start} start */
export function makeLoad(start) {
  return withAgent(start, async (agent, home) => {
    await agent.request('initialize', INITIALIZE);
    const { sessionId } = await agent.request('session/new', { cwd: home, mcpServers: [] });
    for (let count = 0; count < LOADED_TURNS; count++) {
      await agent.request('session/prompt', toPrompt(sessionId, `Hello ${count}`));
    }
    await agent.request('session/close', { sessionId });
    const names = readdirSync(join(home, 'data'), { recursive: true, encoding: 'utf8' });
    const name = names.find((one) => one.endsWith(`${sessionId}.jsonl`)) ?? '';
    const log = readFileSync(join(home, 'data', name), 'utf8');
    agent.takeLines();
    await agent.request('session/load', { sessionId, cwd: home, mcpServers: [] });
    return { sessionId, log, frames: agent.takeLines() };
  });
}

/**
 * Milliseconds of a `session/load`, or of writing the same frames.
 * @param {Start} start
 * @param {Awaited<ReturnType<typeof makeLoad>>} load
 */
export function measureLoad(start, { sessionId, log, frames }) {
  return withAgent(
    start,
    async (agent, home) => {
      await agent.request('initialize', INITIALIZE);
      await agent.request('session/new', { cwd: home, mcpServers: [] });
      await sleep(SETTLE_MS);
      agent.takeLines();
      const params = { sessionId, cwd: home, mcpServers: [] };
      const ms = await time(() => agent.request('session/load', params));
      const shown = agent.takeLines();
      if (shown.length < frames.length) {
        throw new Error(
          `${start.argv.join(' ')} showed ${shown.length} of ${frames.length} frames.`,
        );
      }
      return ms;
    },
    (home) => {
      const folder = join(home, 'data/sessions/bench');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${sessionId}.jsonl`), log);
      writeFileSync(join(home, 'frames.jsonl'), frames.map((frame) => `${frame}\n`).join(''));
    },
  );
}
