import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type ClientContext,
  type McpServer,
  methods,
  type PromptResponse,
} from '@agentclientprotocol/sdk/unstable';
import { type ClientAnswers, connectClient, type Frame } from '../../src/acp/client.ts';
import { startInProcess } from '../../src/acp/in_process.ts';
import type { LogEvent } from '../../src/log/events.ts';
import { logPath } from '../../src/log/location.ts';
import { readLog } from '../../src/log/read.ts';
import { createMachine } from '../../src/session/machine.ts';
import { type Update, updateOf } from '../../src/acp/frames.ts';
import type { ModelServer } from './modelServer.ts';

/** What an editor is like: what it can do, and how its person answers. */
export interface EditorOptions {
  server: ModelServer;
  forms?: boolean;
  /** The editor reads and writes files for the agent. */
  fs?: boolean;
  /** The editor shows notices. */
  notices?: boolean;
  answers?: Partial<ClientAnswers>;
  /** Files of the workspace, by relative path. */
  files?: Record<string, string>;
  env?: NodeJS.ProcessEnv;
  mcpServers?: McpServer[];
  /** The person's configuration. */
  config?: object;
}

/** An editor with one session, connected to an agent in this process. */
export interface Editor {
  cwd: string;
  context: ClientContext;
  sessionId: string;
  frames: Frame[];
  updates: () => Update[];
  setMode: (modeId: string) => Promise<unknown>;
  prompt: (text: string) => Promise<PromptResponse>;
  cancel: () => Promise<void>;
  /** Hears of each call that is asked about. */
  onPermission: (callId: string) => void;
  /** Closes the pipe to the agent, and waits until it has left. */
  close: () => Promise<void>;
  logPath: string;
  log: () => LogEvent[];
}

/**
 * A workspace in a new temporary directory, with a data and a configuration directory beside it.
 */
export function makeWorkspace(files: Record<string, string> = {}): { home: string; cwd: string } {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-editor-')));
  const cwd = join(home, 'workspace');
  mkdirSync(cwd);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return { home, cwd };
}

/** Writes the configuration of the person at `home`. */
export function configure(home: string, config: object): void {
  const directory = join(home, 'config', 'planfold');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'config.json'), JSON.stringify(config));
}

/** The environment of an agent that works for `home` and talks to `server`. */
export function environmentFor(home: string, server: ModelServer): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: home,
    SHELL: '/bin/sh',
    PLANFOLD_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    OPENAI_API_KEY: 'sk-test-key-in-no-log',
    OPENAI_BASE_URL: server.url,
    PLANFOLD_MODEL: 'test-model',
  };
}

const ALLOW_ONCE = { outcome: { outcome: 'selected', optionId: 'allow_once' } } as const;

/** Opens an editor on a new workspace. Permissions are granted unless `answers` says otherwise. */
export async function openEditor(options: EditorOptions): Promise<Editor> {
  const { home, cwd } = makeWorkspace(options.files);
  const env = { ...environmentFor(home, options.server), ...options.env };
  configure(home, options.config ?? {});
  const frames: Frame[] = [];
  const agent = startInProcess(createMachine(env));
  const { context, close } = connectClient(
    agent,
    {
      elicitation: async () => ({ action: 'decline' }),
      async permission({ toolCall }) {
        editor.onPermission(toolCall.toolCallId);
        return ALLOW_ONCE;
      },
      ...options.answers,
    },
    (frame) => frames.push(frame),
  );
  const { agent: of } = methods;
  const elicitation = options.forms === false ? {} : { elicitation: { form: {} } };
  const fs = options.fs ? { fs: { readTextFile: true, writeTextFile: true } } : {};
  const session = options.notices ? { session: { notices: {} } } : {};
  const clientCapabilities = { ...elicitation, ...fs, ...session };
  await context.request(of.initialize, { protocolVersion: 1, clientCapabilities });
  const created = await context.request(of.session.new, {
    cwd,
    mcpServers: options.mcpServers ?? [],
  });
  const { sessionId } = created;
  const path = logPath(join(home, 'data'), cwd, sessionId);
  const editor: Editor = {
    onPermission() {},
    cwd,
    context,
    sessionId,
    frames,
    updates: () => frames.flatMap((frame) => updateOf(frame) ?? []),
    setMode: (modeId) => context.request(of.session.setMode, { sessionId, modeId }),
    prompt: (text) =>
      context.request(of.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    cancel: () => context.notify(of.session.cancel, { sessionId }),
    async close() {
      close();
      await agent.closed;
    },
    logPath: path,
    log: () => readLog(path),
  };
  return editor;
}

/** The result that the model got for a call. */
export function resultOf(events: readonly LogEvent[], callId: string) {
  const found = events.find((event) => event.type === 'tool/result' && event.callId === callId);
  if (found?.type !== 'tool/result') throw new Error(`No result for ${callId}.`);
  const text = found.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return { text, isError: found.isError };
}
