import { BusyError, InputError } from '../base/errors.ts';
import type { PromptBlock } from '../log/events.ts';
import type { Lock } from '../log/lock.ts';
import type { SessionLog } from '../log/log.ts';
import type { SessionState } from '../log/state.ts';
import type { Agent } from '../loop/agent.ts';
import { type CompactionOutcome, windowOf } from '../loop/compaction.ts';
import type { KnobService } from '../loop/knobs.ts';
import { runCompactionTurn, runTurn, type TurnResult } from '../loop/turn.ts';
import type { ModelChoice } from '../model/models.ts';
import type { McpServers } from '../mcp/servers.ts';
import type { ModeService } from '../modes/service.ts';

/** One session: its log, its agent, and the turn that may be running. */
export interface Session {
  readonly id: string;
  readonly logPath: string;
  readonly state: SessionState;
  readonly modes: ModeService;
  readonly knobs: KnobService;
  /** Asks the provider for its models; resolves when the options know them. Never rejects. */
  discoverModels: () => Promise<void>;
  /** Tokens that the context window holds right now. */
  windowTokens: () => number;
  /**
   * Runs one turn. Throws `BusyError` while another runs, `AuthError` without credentials,
   * `InputError` for a prompt that is too long; none of these is logged. Throws what failed the
   * turn otherwise.
   */
  prompt: (content: PromptBlock[], signal?: AbortSignal) => Promise<TurnResult>;
  /** Summarises the conversation now. Throws like `prompt`, but not for a failed compaction. */
  compact: (signal?: AbortSignal) => Promise<CompactionOutcome>;
  /** Throws `BusyError` while a turn runs. */
  assertIdle: () => void;
  /** Stops the running turn, if any, and resolves when it has ended. */
  cancel: () => Promise<void>;
  /** Stops the running turn and gives the log free for other processes. */
  close: () => Promise<void>;
}

/** What a session is made of. */
export interface SessionParts {
  log: SessionLog;
  lock: Lock;
  logPath: string;
  agent: Agent;
  modes: ModeService;
  servers: McpServers;
  discover: (signal: AbortSignal) => Promise<void>;
}

/** How long a provider may take to name its models, in milliseconds. */
const DISCOVER_MS_MAX = 5000;

/** The session over `parts`. */
export function createSession(parts: SessionParts): Session {
  const { log, lock, logPath, agent, modes, servers, discover } = parts;
  const { assertIdle, run, cancel } = createRunner();

  return {
    id: log.state.id,
    logPath,
    modes,
    knobs: agent.knobs,
    windowTokens: () => windowOf(agent),
    discoverModels: () => discover(AbortSignal.timeout(DISCOVER_MS_MAX)),
    get state() {
      return log.state;
    },
    assertIdle,
    async prompt(content, signal) {
      assertIdle();
      agent.knobs.picked().model.client.ready();
      checkSize(content, agent.limits.messageBytesMax);
      checkImages(content, agent.knobs.picked().model);
      const prompt = { messageId: agent.ids.next('msg'), content };
      return run(signal, (stop) => runTurn(agent, log, { prompt, signal: stop }));
    },
    async compact(signal) {
      assertIdle();
      agent.knobs.picked().model.client.ready();
      return run(signal, (stop) => runCompactionTurn(agent, log, stop));
    },
    cancel,
    async close() {
      await cancel();
      await servers.close();
      log.close();
      lock.release();
    },
  };
}

// One turn at a time: it ends by itself, by `cancel`, or with the signal of its request.
function createRunner() {
  let running: { controller: AbortController; done: Promise<void> } | undefined;

  const assertIdle = () => {
    if (!running) return;
    throw new BusyError(
      'A prompt is already running in this session. Wait for its answer or cancel it first; ' +
        'nothing of this one was recorded.',
    );
  };

  const run = async <T>(
    signal: AbortSignal | undefined,
    work: (stop: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    const result = work(controller.signal);
    const done = result.then(
      () => {},
      () => {},
    );
    running = { controller, done };
    try {
      return await result;
    } finally {
      running = undefined;
      signal?.removeEventListener('abort', abort);
    }
  };
  const cancel = async () => {
    running?.controller.abort();
    await running?.done;
  };
  return { assertIdle, run, cancel };
}

function checkImages(content: readonly PromptBlock[], { id, images }: ModelChoice): void {
  if (images || content.every(({ type }) => type !== 'image')) return;
  throw new InputError(
    `The model ${id} reads no images. Choose another with the option \`model\`, or send text.`,
  );
}

// An image has its own limit, for it is no text that anybody typed or pasted.
function checkSize(content: readonly PromptBlock[], bytesMax: number): void {
  const texts = content.filter(({ type }) => type !== 'image');
  const bytes = Buffer.byteLength(JSON.stringify(texts));
  if (bytes <= bytesMax) return;
  throw new InputError(
    `The prompt has ${bytes} bytes; at most ${bytesMax} are taken (limits.messageBytesMax). ` +
      'Point to files by their paths instead of pasting them.',
  );
}
