import { AGENT } from '../base/version.ts';
import { LOG_VERSION, type SessionCreated } from '../log/events.ts';
import { logPath, spillDirectory } from '../log/location.ts';
import { createLog, type Sink } from '../log/log.ts';
import { createStore } from '../log/store.ts';
import type { Agent, Client, Limits } from '../loop/agent.ts';
import { instructionsSection } from '../loop/instructions.ts';
import { baseSections } from '../loop/prompt.ts';
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
import type { Workspace } from '../tools/workspace.ts';
import { writeTool } from '../tools/write.ts';
import type { Machine } from './machine.ts';
import { checkNewSession, type NewSession } from './new_session.ts';
import { createSession, type Session } from './session.ts';

/** The person's side of a session that is being opened. */
export interface Attachment {
  client: Client;
  /** Hears of every event after the log has it. */
  sink: Sink;
}

/** What a session is opened with, beside the machine. */
export interface Opening<A extends Attachment> {
  request: NewSession;
  modes: ModeDefinitions;
  limits: Limits;
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
 * Opens a new session: all wiring is here. Throws `InputError` for a directory that will not do, and
 * `UserError` when the log cannot be written.
 */
export function openSession<A extends Attachment>(
  machine: Machine,
  opening: Opening<A>,
): { session: Session; attachment: A } {
  checkNewSession(opening.request);
  const { cwd, additionalDirectories } = opening.request;
  const id = machine.ids.session();
  const tools = [...baseTools(machine), exitPlanModeTool];
  const attachment = opening.attach({ id, cwd, tools });
  const path = logPath(machine.dataDir, cwd, id);
  const created: SessionCreated = {
    type: 'session/created',
    v: LOG_VERSION,
    id,
    cwd,
    additionalDirectories: [...additionalDirectories],
    agent: AGENT,
  };
  const store = createStore(path);
  const log = createLog(created, { store, clock: machine.clock, sinks: [attachment.sink] });
  const modes = createModeService(opening.modes, log);
  const workspace: Workspace = {
    cwd,
    roots: [cwd, ...additionalDirectories],
    spillDirectory: spillDirectory(machine.dataDir, cwd, id),
    files: machine.files,
    runCommand: machine.runCommand,
    limits: opening.limits,
  };
  const agent: Agent = {
    model: machine.model,
    modelName: machine.modelName,
    tools,
    sections: [
      ...baseSections({ ...machine, cwd, additionalDirectories }),
      modeSection(opening.modes),
      instructionsSection(cwd),
    ],
    boundaries: [modes.boundary],
    workspace,
    limits: opening.limits,
    client: attachment.client,
    ids: machine.ids,
  };
  return { session: createSession({ log, logPath: path, agent, modes }), attachment };
}
