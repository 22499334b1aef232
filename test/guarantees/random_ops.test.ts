import { rmSync } from 'node:fs';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultConfig } from '../../src/config/load.ts';
import { foldMode, foldState } from '../../src/log/folds.ts';
import { readLog } from '../../src/log/read.ts';
import type { Client } from '../../src/loop/agent.ts';
import { resolveModes } from '../../src/modes/definitions.ts';
import { createMachine, type Machine } from '../../src/session/machine.ts';
import { openSession, type Source } from '../../src/session/open.ts';
import type { Session } from '../../src/session/session.ts';
import { verifyLog } from '../../src/session/verify.ts';
import { environmentFor, makeWorkspace } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

let server: ModelServer;
let requests = 0;
beforeAll(async () => {
  // Plans every other time it may, so that approvals and rejections come in between.
  server = await startModelServer(({ messages, tools }) => {
    if (messages.at(-1)?.content === 'Wait') return { chunks: [], end: 'hang' };
    const planning = tools?.some((tool) => tool.function.name === 'exit_plan_mode');
    requests += 1;
    if (planning && requests % 2 === 0) return call('exit_plan_mode', { plan: '# A plan' });
    return answer({ text: `Answer ${requests}. ${'More words. '.repeat(20)}` });
  });
});
afterAll(() => server.close());

/** Approves every other plan. */
function createPerson(): Client {
  let reviews = 0;
  return {
    ask: async () => ({ outcome: ++reviews % 2 === 0 ? 'approve' : 'keep_planning' }),
    onDelta() {},
    onCompaction() {},
    onProgress() {},
  };
}

async function open(machine: Machine, cwd: string, source: Source): Promise<Session> {
  const { session } = await openSession(machine, {
    source,
    request: { cwd, additionalDirectories: [], mcpServers: [] },
    modes: resolveModes({}),
    settings: defaultConfig(),
    attach: () => ({
      client: createPerson(),
      sink() {},
      replay: () => undefined,
      throughClient: (disk) => disk,
      notify() {},
    }),
  });
  return session;
}

type Op = 'plan' | 'default' | 'prompt' | 'flip' | 'cancel' | 'compact' | Reopening;
type Reopening = 'load' | 'resume' | 'fork' | 'kill' | 'killMidTurn';

const op = fc.constantFrom<Op>(
  'plan',
  'default',
  'prompt',
  'prompt',
  'flip',
  'cancel',
  'compact',
  'load',
  'resume',
  'fork',
  'kill',
  'killMidTurn',
);

const say = (session: Session, text = 'Go on') => session.prompt([{ type: 'text', text }]);

// The process is gone: nothing of it is closed, and its lock is that of the dead.
function abandon(session: Session): void {
  rmSync(`${session.logPath}.lock`);
}

async function perform(machine: Machine, session: Session, one: Op): Promise<Session> {
  const { cwd, id } = session.state;
  const reopen = (replay: boolean) => open(machine, cwd, { kind: 'stored', id, replay });
  switch (one) {
    case 'plan':
    case 'default':
      session.modes.set(one);
      return session;
    case 'prompt':
      await say(session);
      return session;
    case 'flip': {
      const prompted = say(session);
      session.modes.set(session.modes.get().mode === 'plan' ? 'default' : 'plan');
      await prompted;
      return session;
    }
    case 'cancel':
      await Promise.all([say(session, 'Wait'), session.cancel()]);
      return session;
    case 'compact':
      await session.compact();
      return session;
    case 'load':
    case 'resume':
      await session.close();
      return reopen(one === 'load');
    case 'fork':
      return open(machine, cwd, { kind: 'fork', of: id });
    case 'kill':
      abandon(session);
      return reopen(true);
    case 'killMidTurn': {
      const asked = server.requests.length;
      void say(session, 'Wait').catch(() => {});
      // Once it waits for the model it writes no more: it is as good as dead.
      while (server.requests.length === asked) await new Promise((done) => setTimeout(done, 1));
      abandon(session);
      return reopen(false);
    }
  }
}

test('whatever happens in whatever order, the file is the state and proves itself', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 1, maxLength: 14 }), async (ops) => {
      const { home, cwd } = makeWorkspace();
      const machine = createMachine(environmentFor(home, server));
      let session = await open(machine, cwd, { kind: 'new' });
      for (const one of ops) {
        session = await perform(machine, session, one);
        const events = readLog(session.logPath);
        expect(JSON.stringify(foldState(events))).toBe(JSON.stringify(session.state));
        expect(verifyLog(session.logPath).problems).toEqual([]);
        // A pick that is not in force yet is told to the person, and to the model with the turn.
        const { mode, pending } = session.modes.get();
        expect(mode).toBe(foldMode(events));
        expect(pending).toBe(session.state.pendingMode);
      }
      await say(session);
      const offered = server.requests.at(-1)?.body.tools?.map((tool) => tool.function.name);
      const last = readLog(session.logPath).findLast(({ type }) => type === 'step/start');
      const before = readLog(session.logPath).filter(({ seq }) => seq < (last?.seq ?? 0));
      expect(offered?.includes('exit_plan_mode')).toBe(foldMode(before) === 'plan');
      await session.close();
    }),
    { numRuns: 60 },
  );
});
