import { expect, test } from 'vitest';
import { defaultConfig } from '../../src/config/load.ts';
import type { Client } from '../../src/loop/agent.ts';
import { resolveModes } from '../../src/modes/definitions.ts';
import { createMachine } from '../../src/session/machine.ts';
import { openSession } from '../../src/session/open.ts';
import { environmentFor, makeWorkspace } from '../harness/editor.ts';
import { startModelServer } from '../harness/modelServer.ts';
import { call } from '../harness/sse.ts';

test('a client that approves although the turn was cancelled approves nothing', async () => {
  const server = await startModelServer(() => call('exit_plan_mode', { plan: '# A plan' }));
  const { home, cwd } = makeWorkspace();
  const person: Client = {
    async ask() {
      void session.cancel();
      return { outcome: 'approve' };
    },
    onDelta() {},
    onCompaction() {},
    onProgress() {},
  };
  const { session } = await openSession(createMachine(environmentFor(home, server)), {
    source: { kind: 'new' },
    request: { cwd, additionalDirectories: [], mcpServers: [] },
    modes: resolveModes({}),
    settings: defaultConfig(),
    attach: () => ({
      client: person,
      sink() {},
      replay: () => undefined,
      throughClient: (disk) => disk,
      notify() {},
    }),
  });
  session.modes.set('plan');
  const { stopReason } = await session.prompt([{ type: 'text', text: 'Plan' }]);
  expect(stopReason).toBe('cancelled');
  expect(session.state.mode).toBe('plan');
  expect(session.state.pendingMode).toBeUndefined();
  await session.close();
  await server.close();
});
