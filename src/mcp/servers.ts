import type { Tool } from '../tools/tool.ts';
import { toToolName } from './names.ts';
import { type McpServer, type McpServerOptions, openMcpServer } from './server.ts';
import type { McpServerSpec } from './spec.ts';
import { toTool } from './tool.ts';

/** The servers of one session. */
export interface McpServers {
  /** Resolves when each is there or has failed, and the tools are as the servers have them now. */
  settle: () => Promise<void>;
  /** The tools of those that are there, as of the last `settle`. */
  tools: () => readonly Tool[];
  /** Ends them, and every process of theirs. */
  close: () => Promise<void>;
}

/**
 * Begins to connect to servers; returns at once, for a slow server is no reason to let an editor
 * wait. `settle` is awaited before each step, and what failed is told by then.
 */
export function openMcpServers(
  specs: readonly McpServerSpec[],
  options: McpServerOptions,
): McpServers {
  const servers = specs.map((spec) => openMcpServer(spec, options));
  let tools: readonly Tool[] = [];
  return {
    async settle() {
      if (servers.length === 0) return;
      await Promise.all(servers.map(({ ready }) => ready));
      await Promise.all(servers.map((server) => server.refresh()));
      tools = toTools(servers);
    },
    tools: () => tools,
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

function toTools(servers: readonly McpServer[]): Tool[] {
  const taken = new Set<string>();
  return servers.flatMap((server) =>
    server.tools().map((tool) => {
      const name = toToolName(server.name, tool.name, taken);
      taken.add(name);
      return toTool({ server: server.name, name, tool }, server.call);
    }),
  );
}
