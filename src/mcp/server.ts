import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/client';
import { messageOf } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { ToolContext, ToolOutcome } from '../tools/tool.ts';
import {
  connect,
  type ConnectOptions,
  listTools,
  type McpConnection,
  TOOLS_MAX,
} from './connection.ts';
import { toOutcome } from './result.ts';
import type { McpNotice, McpServerSpec } from './spec.ts';

/** How long a call may take without a word from the server, in milliseconds. */
const SILENCE_MS_MAX = 10 * 60 * 1000;

/** One server of a session, through all of its lives. */
export interface McpServer {
  name: string;
  /** Resolves when the server is there or has failed; never rejects. */
  ready: Promise<void>;
  /** Its tools as they were last listed. */
  tools: () => readonly McpTool[];
  /** Lists the tools anew if the server has said that they changed. */
  refresh: () => Promise<void>;
  /** Calls a tool; a server that has gone is started once more. Throws what the server says. */
  call: (name: string, input: JsonObject, context: ToolContext) => Promise<ToolOutcome>;
  close: () => Promise<void>;
}

/** What a server is opened with. */
export interface McpServerOptions extends Pick<ConnectOptions, 'environment' | 'cwd'> {
  onNotice: (notice: McpNotice) => void;
}

/** Begins to connect to a server. What goes wrong is a notice. */
export function openMcpServer(spec: McpServerSpec, options: McpServerOptions): McpServer {
  const closing = new AbortController();
  let connection: McpConnection | undefined;
  let tools: readonly McpTool[] = [];
  let changed = false;

  const notice = (description: string) => {
    if (!closing.signal.aborted) {
      options.onNotice({ title: `MCP server ${spec.name}`, description });
    }
  };
  const start = async (): Promise<McpConnection> => {
    const { environment, cwd } = options;
    const onToolsChanged = () => {
      changed = true;
    };
    const { signal } = closing;
    const opened = await connect(spec, { environment, cwd, onToolsChanged, signal });
    if (signal.aborted) await opened.close();
    connection = opened;
    tools = opened.tools;
    if (opened.cut) notice(`It has more than ${TOOLS_MAX} tools; the rest is left out.`);
    return opened;
  };
  let starting: Promise<McpConnection> | undefined = start();
  const ready = starting.then(
    () => {},
    (error) => notice(`It could not be started, and is left out: ${messageOf(error)}`),
  );
  const live = async (): Promise<McpConnection> => {
    if (connection && !connection.gone) return connection;
    starting = start();
    return starting;
  };

  return {
    name: spec.name,
    ready,
    tools: () => tools,
    async refresh() {
      if (!changed || !connection || connection.gone) return;
      changed = false;
      try {
        tools = (await listTools(connection.client, closing.signal)).slice(0, TOOLS_MAX);
      } catch (error) {
        notice(`Its tools changed and could not be listed: ${messageOf(error)}`);
      }
    },
    async call(name, input, context) {
      const { client } = await live();
      const result = await client.callTool(
        { name, arguments: input },
        {
          signal: context.signal,
          timeout: SILENCE_MS_MAX,
          resetTimeoutOnProgress: true,
          onprogress: (progress) => context.progress(describeProgress(progress)),
        },
      );
      return toOutcome(result as CallToolResult, context);
    },
    async close() {
      closing.abort(new Error('the session was closed'));
      await starting?.catch(() => {});
      await connection?.close().catch(() => {});
    },
  };
}

function describeProgress(progress: {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}): string {
  const share =
    progress.total === undefined
      ? String(progress.progress)
      : `${progress.progress} of ${progress.total}`;
  return progress.message === undefined ? share : `${share}: ${progress.message.slice(0, 500)}`;
}
