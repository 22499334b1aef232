import type { SessionState } from '../log/state.ts';
import type { ToolSchema } from '../model/types.ts';
import type { Tool } from './tool.ts';

/**
 * The tools of one step: what is offered in the request is what can be called, and nothing else.
 */
export interface ToolView {
  schemas: ToolSchema[];
  names: string[];
  find: (name: string) => Tool | undefined;
}

/** The view of the step that starts in `state`. */
export function viewTools(tools: readonly Tool[], state: SessionState): ToolView {
  const visible = tools.filter((tool) => tool.visible?.(state) ?? true);
  const byName = new Map(visible.map((tool) => [tool.name, tool]));
  return {
    schemas: visible.map((tool) => tool.schema()),
    names: [...byName.keys()],
    find: (name) => byName.get(name),
  };
}
