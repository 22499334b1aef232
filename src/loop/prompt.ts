import { basename } from 'node:path';
import type { PromptSection } from '../log/request.ts';
import type { SessionState } from '../log/state.ts';
import type { Header } from '../model/types.ts';
import type { ToolView } from '../tools/view.ts';
import type { Agent } from './agent.ts';

/**
 * What the next request carries besides messages, as the session stands. Nothing in it may change
 * by itself (no clock, no git status): providers cache the prefix that it begins.
 */
export function assembleHeader(agent: Agent, state: SessionState, view: ToolView): Header {
  const system = [...agent.sections]
    .toSorted((a, b) => a.order - b.order)
    .map(({ name, text }) => ({ name, text: text(state) }))
    .filter(({ text }) => text !== '');
  const { model, reasoningEffort } = agent.knobs.inForce();
  const settings = reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort };
  const header: Header = { model: model.name, settings, system, tools: view.schemas };
  return model.sendsReasoning ? { ...header, sendsReasoning: true } : header;
}

const PERSONA = `You are Planfold, a coding agent that works inside the user's editor. The user sees
your answers, your tool calls and their results as they happen.

Work on the task itself: look before you change, change no more than the task needs, follow the
conventions of the code around you, and check what you did by running it where that is possible.
Say plainly what you could not do or verify. Keep answers short; refer to code as path:line.`;

const TOOL_GUIDANCE = `Paths may be relative to the working directory. Prefer read, glob and grep
to shell commands for looking at files, and edit to write for changing them. Calls that do not
depend on each other belong in one response. A call that the user rejects is the user's decision: do
not work around it. Keep a todo list with todo_write when the work has several steps.`;

/** The sections that every session has, whatever its mode. */
export function baseSections(facts: {
  cwd: string;
  additionalDirectories: readonly string[];
  platform: string;
  shell: string;
}): PromptSection[] {
  const { cwd, additionalDirectories } = facts;
  const also = additionalDirectories.map((path) => `\nAdditional directory: ${path}`).join('');
  const environment = `Working directory: ${cwd}${also}\n${renderPlatform(facts)}`;
  return [
    { name: 'persona', order: 0, text: () => PERSONA },
    { name: 'tools', order: 100, text: () => TOOL_GUIDANCE },
    { name: 'environment', order: 200, text: () => environment },
  ];
}

/** The line of the environment section that says what machine this is. */
export function renderPlatform({ platform, shell }: { platform: string; shell: string }): string {
  return `Platform: ${platform}, shell: ${basename(shell)}`;
}
