import { readdirSync, readFileSync } from 'node:fs';
import type { ModelServer } from '../harness/modelServer.ts';
import { answer, call, chunk } from '../harness/sse.ts';
import { type Message, permit, type StdioAgent } from '../harness/stdio.ts';

/** A state in the middle of a turn, in which something may happen to it. */
export interface Midway {
  name: string;
  /** The mode the session is in. */
  mode: 'plan' | 'default';
  /** Brings a session there, with a prompt under way. */
  reach: (agent: StdioAgent, sessionId: string, server: ModelServer) => Promise<Reached>;
}

/** A prompt under way. */
export interface Reached {
  prompted: Promise<Message>;
  /** Processes that were started for it. */
  pids: number[];
}

/** A command that resists a polite end, with a child in the background; `mark` finds them. */
const stubborn = (mark: number) =>
  `trap '' TERM; sleep ${mark} & sleep 0.1; echo started; sleep ${mark}`;

const isQuestion = (method: string) => (message: Message) => message.method === method;

/** The states that cancelling and leaving are tried in. */
export const MIDWAY: Midway[] = [
  {
    name: 'while the answer has not begun',
    mode: 'default',
    async reach(agent, sessionId, server) {
      const before = server.requests.length;
      server.enqueue({ chunks: [], end: 'hang' });
      const prompted = agent.prompt(sessionId, 'Go');
      while (server.requests.length === before) await pause();
      return { prompted, pids: [] };
    },
  },
  {
    name: 'in the middle of the stream',
    mode: 'plan',
    async reach(agent, sessionId, server) {
      await agent.request('session/set_mode', { sessionId, modeId: 'plan' });
      server.enqueue({ chunks: [chunk({ content: 'Half a sent' })], end: 'hang' });
      const prompted = agent.prompt(sessionId, 'Go');
      await agent.until((message) => JSON.stringify(message).includes('Half a sent'));
      return { prompted, pids: [] };
    },
  },
  {
    name: 'while a command runs, with another call waiting',
    mode: 'default',
    async reach(agent, sessionId, server) {
      return runStubborn(agent, sessionId, server);
    },
  },
  {
    name: 'while a command runs that nothing confines',
    mode: 'default',
    async reach(agent, sessionId, server) {
      const option = { sessionId, configId: 'sandbox', value: 'off' };
      await agent.request('session/set_config_option', option);
      return runStubborn(agent, sessionId, server);
    },
  },
  {
    name: 'while a permission is asked',
    mode: 'default',
    async reach(agent, sessionId, server) {
      server.enqueue(call('bash', { command: 'touch never' }));
      agent.answerWith(() => undefined);
      const prompted = agent.prompt(sessionId, 'Go');
      await agent.until(isQuestion('session/request_permission'));
      return { prompted, pids: [] };
    },
  },
  {
    name: 'while a plan is reviewed',
    mode: 'plan',
    async reach(agent, sessionId, server) {
      await agent.request('session/set_mode', { sessionId, modeId: 'plan' });
      server.enqueue(call('exit_plan_mode', { plan: '# A plan' }));
      agent.answerWith(() => undefined);
      const prompted = agent.prompt(sessionId, 'Go');
      await agent.until(isQuestion('elicitation/create'));
      return { prompted, pids: [] };
    },
  },
];

async function runStubborn(
  agent: StdioAgent,
  sessionId: string,
  server: ModelServer,
): Promise<Reached> {
  const mark = 100_000 + Math.floor(Math.random() * 100_000);
  const calls = [
    { id: 'one', name: 'bash', arguments: { command: stubborn(mark) } },
    { id: 'two', name: 'write', arguments: { path: 'never', content: '' } },
  ];
  server.enqueue(answer({ calls }));
  agent.answerWith(permit());
  const prompted = agent.prompt(sessionId, 'Go');
  await agent.until((message) => JSON.stringify(message).includes('started\\n```'));
  const pids = findProcesses(String(mark));
  // The shell and both of its children, whatever else is around them.
  if (pids.length < 3) throw new Error(`Only ${pids.length} processes of the command were found.`);
  return { prompted, pids };
}

// In a sandbox a process knows itself by another id than the one it is found by.
function findProcesses(mark: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid)) return false;
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
      } catch {
        return false;
      }
    });
}

/** Whether a process of that id is there and running. */
export function isAlive(pid: number): boolean {
  try {
    // A process that has ended but was not waited for yet is no process any more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
