import type { Tool as McpTool } from '@modelcontextprotocol/client';
import { messageOf } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import {
  type Effects,
  errorOutcome,
  type ParsedInput,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '../tools/tool.ts';
import { titleOf } from '../tools/title.ts';

/** The longest description that goes into every request, in characters. */
const DESCRIPTION_LENGTH_MAX = 4096;

/** Calls a tool of a server. Throws what the server or the connection says. */
export type CallMcpTool = (
  name: string,
  input: JsonObject,
  context: ToolContext,
) => Promise<ToolOutcome>;

/** A server's tool as the loop knows tools; `name` is the one the model calls it by. */
export function toTool(
  { server, name, tool }: { server: string; name: string; tool: McpTool },
  call: CallMcpTool,
): Tool {
  const effects = toEffects(tool.annotations);
  const title = titleOf(tool.annotations?.title ?? tool.title ?? tool.name);
  const { $schema: _, ...parameters } = toParameters(tool.inputSchema);
  const description = (tool.description ?? title).slice(0, DESCRIPTION_LENGTH_MAX);
  return {
    name,
    effects,
    asksPerson: false,
    schema: () => ({ type: 'function', function: { name, description, parameters } }),
    parse: (text) => parse(name, text),
    paths: () => [],
    card: () => ({ title: `${server}: ${title}`, kind: effects.readOnly ? 'read' : 'other' }),
    async run(input, context) {
      try {
        return await call(tool.name, input, context);
      } catch (error) {
        if (context.signal.aborted) throw error;
        return errorOutcome(`The MCP server ${server} failed: ${messageOf(error)}`);
      }
    },
  };
}

// With MCP's defaults: a server that says nothing may do anything.
function toEffects(annotations: McpTool['annotations']): Effects {
  const readOnly = annotations?.readOnlyHint ?? false;
  return {
    readOnly,
    destructive: !readOnly && (annotations?.destructiveHint ?? true),
    idempotent: readOnly || (annotations?.idempotentHint ?? false),
    openWorld: annotations?.openWorldHint ?? true,
  };
}

function toParameters(schema: unknown): JsonObject {
  if (!isObject(schema) || schema['type'] !== 'object') return { type: 'object', properties: {} };
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return { ...(schema as JsonObject), type: 'object', properties: properties as JsonObject };
}

// What the arguments must hold, the server checks itself.
function parse(name: string, text: string): ParsedInput<JsonObject> {
  try {
    const input: unknown = text.trim() === '' ? {} : JSON.parse(text);
    if (isObject(input)) return { ok: true, input: input as JsonObject };
    return { ok: false, problem: `The arguments of \`${name}\` must be a JSON object.` };
  } catch (error) {
    const why = messageOf(error);
    return { ok: false, problem: `The arguments of \`${name}\` are not valid JSON: ${why}.` };
  }
}
