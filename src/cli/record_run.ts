import { recordAsk } from '../acp/record_ask.ts';
import type { ScenarioDraft } from '../acp/scenario_draft.ts';
import type { LogEvent } from '../log/events.ts';
import type { Client } from '../loop/agent.ts';
import type { Machine } from '../session/machine.ts';
import { createRecorder } from './recorder.ts';

/** Makes a scenario of one run, as an editor with forms would have driven it. */
export interface RunRecording {
  fetch: typeof globalThis.fetch;
  /** The session is about to begin. Throws `UserError` for a workspace that is too large. */
  begin: (machine: Machine, cwd: string) => Promise<void>;
  did: ScenarioDraft['did'];
  /** The prompt begins. Call what it gives when it has its answer. */
  prompted: (text: string) => () => void;
  /** Whoever answers, with the answers written down. */
  watch: (ask: Client['ask']) => Client['ask'];
  /** Hears of every event of the log. */
  follow: (event: LogEvent) => void;
  end: (sessionId: string) => void;
}

/** Starts a recording in `directory`. Throws `UserError` unless it is new or empty. */
export function recordRun(directory: string, env: NodeJS.ProcessEnv): RunRecording {
  const recorder = createRecorder(directory, env);
  const { draft, fetch, end } = recorder;
  const running = new Map<string, () => void>();
  return {
    fetch,
    did: draft.did,
    end,
    async begin(machine, cwd) {
      await recorder.begin(machine, cwd);
      draft.did({ op: 'initialize', clientCapabilities: { elicitation: { form: {} } } });
      draft.did({ op: 'newSession' });
    },
    prompted: (text) => draft.prompted({ op: 'prompt', text }),
    watch: (ask) => recordAsk(ask, draft),
    follow(event) {
      if (event.type === 'tool/call') running.set(event.callId, draft.called(event.callId));
      if (event.type === 'tool/result') running.get(event.callId)?.();
    },
  };
}
