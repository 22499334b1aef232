import type { JsonObject } from '../base/json.ts';
import type { Tool } from '../tools/tool.ts';
import { absolutePath, isInside, type Workspace } from '../tools/workspace.ts';

/**
 * Whether a call needs a person's permission: a call that changes things does, and one that leaves
 * the workspace, with those paths. Undefined when it may run. Decided by the tool's declared
 * effects and the paths it names, and by nothing else.
 */
export function needsPermission(
  tool: Tool,
  input: JsonObject,
  workspace: Workspace,
): { outside: string[] } | undefined {
  const readable = [...workspace.roots, workspace.spillDirectory];
  const roots = tool.effects.readOnly ? readable : workspace.roots;
  const outside = tool
    .paths(input)
    .map((path) => absolutePath(workspace.cwd, path))
    .filter((path) => !isInside(roots, path));
  return tool.effects.readOnly && outside.length === 0 ? undefined : { outside };
}
