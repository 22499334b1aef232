import * as z from 'zod';
import type { JsonObject } from '../base/json.ts';
import { once } from '../base/once.ts';
import type { Question, Reply, ResultBlock, TurnEvent } from '../log/events.ts';
import type { SessionState } from '../log/state.ts';
import type { ToolSchema } from '../model/types.ts';
import type { Workspace } from './workspace.ts';

/** What a tool does to the world, in MCP's terms (`ToolAnnotations` without the `Hint`). */
export interface Effects {
  readOnly: boolean;
  destructive: boolean;
  idempotent: boolean;
  openWorld: boolean;
}

/** The effects of a tool that changes nothing. */
export const READ_ONLY: Effects = {
  readOnly: true,
  destructive: false,
  idempotent: true,
  openWorld: false,
};

/** A place in a file: absolute path, line counted from 1. */
export interface Location {
  path: string;
  line?: number | undefined;
}

/** How an editor shows a call before it has run, in ACP's words. Made from the input alone. */
export interface Card {
  title: string;
  kind: 'read' | 'edit' | 'search' | 'execute' | 'think' | 'switch_mode' | 'other';
  locations?: Location[] | undefined;
  content?: ResultBlock[] | undefined;
  /** How text of card and result is shown; `code` is the default. */
  format?: 'code' | 'markdown' | undefined;
}

/** Facts that a tool may leave in the log beside its result. */
export type ToolFact = Extract<TurnEvent, { type: 'file/seen' | 'todo/write' }>;

/** What a tool came back with. `isError` tells the model that the call did not do its job. */
export interface ToolOutcome {
  content: ResultBlock[];
  isError: boolean;
  facts?: ToolFact[] | undefined;
}

/** What a running tool may use: the ports of one call. */
export interface ToolContext {
  callId: string;
  workspace: Workspace;
  /** Aborted when the turn is cancelled. */
  signal: AbortSignal;
  /** The session as folded from the log right now. */
  state: () => SessionState;
  /** Asks a person; question and reply are logged. Never throws for what a client does wrong. */
  ask: (question: Question) => Promise<Reply>;
  /** Shows the output so far in the call's card: the whole text each time, not an addition. */
  progress: (text: string) => void;
}

/** A command line in a call. */
export interface CommandLine {
  line: string;
  escalated: boolean;
}

/** Arguments that were read, or what is wrong with them in words for the model. */
export type ParsedInput<I> = { ok: true; input: I } | { ok: false; problem: string };

/** A tool as the loop knows it. `I` is its parsed input. */
export interface Tool<I = JsonObject> {
  name: string;
  effects: Effects;
  /** The tool asks a person, one question at a time: it never runs beside another call. */
  asksPerson: boolean;
  /** Whether the model sees the tool at all, by the state at the step's start. Default: always. */
  visible?: ((state: SessionState) => boolean) | undefined;
  schema: () => ToolSchema;
  /** Reads the text that the model wrote as arguments. */
  parse: (text: string) => ParsedInput<I>;
  /** The paths that a call touches, as given: those outside the roots need approval. */
  paths: (input: I) => string[];
  /** The command line that a call runs, and whether it asks to leave the sandbox. */
  command?: ((input: I) => CommandLine) | undefined;
  card: (input: I, cwd: string) => Card;
  run: (input: I, context: ToolContext) => Promise<ToolOutcome>;
}

/** What one tool's file states; the rest of `Tool` is derived. */
export interface ToolSpec<S extends z.ZodType<object>> {
  name: string;
  description: string;
  /** Its arguments; made when they are first needed. */
  input: () => S;
  effects: Effects;
  asksPerson?: boolean;
  visible?: (state: SessionState) => boolean;
  paths?: (input: z.output<S>) => string[];
  command?: (input: z.output<S>) => CommandLine;
  card: (input: z.output<S>, cwd: string) => Card;
  run: (input: z.output<S>, context: ToolContext) => Promise<ToolOutcome>;
}

/** Makes a tool of its parts. The input type is checked in `spec` and forgotten outside. */
export function defineTool<S extends z.ZodType<object>>(stated: ToolSpec<S>): Tool {
  const spec: ToolSpec<S> = { ...stated, input: once(stated.input) };
  const tool: Tool<z.output<S>> = {
    name: spec.name,
    effects: spec.effects,
    asksPerson: spec.asksPerson ?? false,
    visible: spec.visible,
    schema: once(() => toSchema(spec)),
    parse: (text) => parseInput(spec, text),
    paths: spec.paths ?? (() => []),
    command: spec.command,
    card: spec.card,
    run: spec.run,
  };
  // Inputs only ever come from this tool's own `parse`, so the loop may treat them as plain JSON.
  return tool as unknown as Tool;
}

function toSchema(spec: ToolSpec<z.ZodType<object>>): ToolSchema {
  const { $schema: _, ...parameters } = z.toJSONSchema(spec.input(), { io: 'input' }) as JsonObject;
  return {
    type: 'function',
    function: { name: spec.name, description: spec.description, parameters },
  };
}

function parseInput<S extends z.ZodType<object>>(
  spec: ToolSpec<S>,
  text: string,
): ParsedInput<z.output<S>> {
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      problem: `The arguments of \`${spec.name}\` are not valid JSON: ${why}. ${expected(spec)}`,
    };
  }
  const parsed = spec.input().safeParse(value);
  if (parsed.success) return { ok: true, input: parsed.data };
  const problems = parsed.error.issues.map((issue) => {
    const path = issue.path.length > 0 ? `\`${issue.path.join('.')}\`: ` : '';
    return `- ${path}${issue.message}`;
  });
  return {
    ok: false,
    problem: [`The arguments of \`${spec.name}\` do not fit:`, ...problems, expected(spec)].join(
      '\n',
    ),
  };
}

function expected(spec: ToolSpec<z.ZodType<object>>): string {
  return `Call it again with arguments that fit its schema: ${JSON.stringify(
    toSchema(spec).function.parameters,
  )}`;
}

/** A result of one text. */
export function textOutcome(text: string, facts?: ToolFact[]): ToolOutcome {
  return { content: [{ type: 'text', text }], isError: false, facts };
}

/** A result that tells the model what went wrong and what to do about it. */
export function errorOutcome(text: string): ToolOutcome {
  return { content: [{ type: 'text', text }], isError: true };
}
