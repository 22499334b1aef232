import type { LogEvent } from '../log/events.ts';
import { logPath, spillDirectory } from '../log/location.ts';
import type { Sink } from '../log/log.ts';
import type { SessionState } from '../log/state.ts';
import type { Agent, Client, Limits } from '../loop/agent.ts';
import { createKnobs, type KnobParts } from '../loop/knobs.ts';
import { instructionsSection } from '../loop/instructions.ts';
import { baseSections } from '../loop/prompt.ts';
import { openMcpServers } from '../mcp/servers.ts';
import type { ModeDefinitions } from '../modes/definitions.ts';
import { exitPlanModeTool } from '../modes/exit_plan_mode.ts';
import { createModeService, modeSection } from '../modes/service.ts';
import { askUserQuestionTool } from '../tools/ask_user_question.ts';
import { createBashTool } from '../tools/bash.ts';
import { editTool } from '../tools/edit.ts';
import { globTool } from '../tools/glob.ts';
import { grepTool } from '../tools/grep.ts';
import { readTool } from '../tools/read.ts';
import { todoWriteTool } from '../tools/todo_write.ts';
import type { Tool } from '../tools/tool.ts';
import type { ProviderConfig } from '../model/provider.ts';
import type { OpenFiles } from '../tools/files.ts';
import { type Grounds, realPath } from '../tools/workspace.ts';
import { writeTool } from '../tools/write.ts';
import { forkLog } from './fork.ts';
import { findLog } from './library.ts';
import type { Machine } from './machine.ts';
import type { NewSession } from './new_session.ts';
import { lineOne, openLog } from './open_log.ts';
import { createSession, type Session } from './session.ts';

/** Something that a person should know, and the model need not. */
export interface Notice {
  severity: 'info' | 'warning' | 'error';
  title: string;
  description: string;
}

/** The person's side of a session that is being opened. */
export interface Attachment {
  client: Client;
  /** Hears of every event after the log has it. */
  sink: Sink;
  /** Tells the person something that is no part of the conversation. */
  notify: (notice: Notice) => void;
  /** How files are reached where the person's editor has a say in it. */
  throughClient: (openDisk: OpenFiles) => OpenFiles;
  /** Is shown the events of a log that is loaded; a promise holds the reading back. */
  replay: (event: LogEvent, state: SessionState) => Promise<void> | undefined;
}

/** Where the log of a session comes from; `replay` shows all of it to the client. */
export type Source =
  { kind: 'new' } | { kind: 'stored'; id: string; replay: boolean } | { kind: 'fork'; of: string };

/** What a person has configured, as far as it concerns a session. */
export interface Settings {
  limits: Limits;
  /** What the options start from. */
  options: KnobParts['defaults'] & { model?: string | undefined };
  /** Whether commands are confined where that can be done, and have the network then. */
  sandbox: { enabled: boolean; network: boolean };
  providers: Readonly<Record<string, ProviderConfig>>;
}

/** What a session is opened with, beside the machine. */
export interface Opening<A extends Attachment> {
  source: Source;
  request: NewSession;
  modes: ModeDefinitions;
  settings: Settings;
  attach: (session: { id: string; cwd: string; tools: readonly Tool[] }) => A;
}

/** The tools of every session, but for those that a mode brings along. */
export function baseTools(machine: Pick<Machine, 'shell'>): Tool[] {
  return [
    readTool,
    writeTool,
    editTool,
    globTool,
    grepTool,
    createBashTool({ shell: machine.shell }),
    todoWriteTool,
    askUserQuestionTool,
  ];
}

/**
 * Opens a session whose directories were checked: all wiring is here. Throws `UnknownSessionError`,
 * `LockedError`, `DamagedLogError`, and `UserError` when the log cannot be written.
 */
export async function openSession<A extends Attachment>(
  machine: Machine,
  opening: Opening<A>,
): Promise<{ session: Session; attachment: A }> {
  const { cwd, additionalDirectories } = opening.request;
  const models = machine.openModels(opening.settings);
  const confines = opening.settings.sandbox.enabled && 'sandbox' in (await machine.sandbox());
  const { id, path } = locate(machine, opening);
  const own = [...baseTools(machine), exitPlanModeTool];
  const attachment = opening.attach({ id, cwd, tools: own });
  const { log, lock } = await openLog(machine, { ...opening, id, path }, attachment);
  const modes = createModeService(opening.modes, log);
  const grounds: Grounds = {
    cwd,
    roots: [cwd, ...additionalDirectories].map(realPath),
    spillDirectory: spillDirectory(path),
    limits: opening.settings.limits,
    openFiles: attachment.throughClient(machine.openFiles),
    runCommand: machine.openRunCommand(models.keyNames),
    secrets: machine.secrets,
    confines,
    network: opening.settings.sandbox.network,
  };
  const knobs = createKnobs({ models, confines, defaults: opening.settings.options }, log);
  const servers = openMcpServers(opening.request.mcpServers, {
    environment: machine.openEnvironment(models.keyNames),
    cwd,
    onNotice: (notice) => attachment.notify({ severity: 'warning', ...notice }),
  });
  const agent: Agent = {
    knobs,
    tools: () => [...own, ...servers.tools()],
    settle: servers.settle,
    sections: [
      ...baseSections({ ...machine, cwd, additionalDirectories }),
      modeSection(opening.modes),
      instructionsSection(cwd, { own: machine.instructions, secrets: machine.secrets }),
    ],
    boundaries: [modes.boundary, knobs.boundary],
    grounds,
    limits: opening.settings.limits,
    client: attachment.client,
    ids: machine.ids,
  };
  const discover = models.discover;
  const session = createSession({ log, lock, logPath: path, agent, modes, servers, discover });
  return { session, attachment };
}

// A fork is written first, and is then a stored session like any other.
function locate(
  machine: Machine,
  { source, request }: Pick<Opening<Attachment>, 'source' | 'request'>,
): { id: string; path: string } {
  if (source.kind === 'stored') {
    return { id: source.id, path: findLog(machine.dataDir, source.id) };
  }
  const id = machine.ids.session();
  const path = logPath(machine.dataDir, request.cwd, id);
  if (source.kind === 'fork') {
    const parent = { path: findLog(machine.dataDir, source.of) };
    forkLog(parent, { created: lineOne(id, request), time: machine.clock(), path });
  }
  return { id, path };
}
