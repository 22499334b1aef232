import type { Client, Tool as McpTool, Transport } from '@modelcontextprotocol/client';
import { AGENT } from '../base/version.ts';
import { createStdioTransport, type StdioTransport } from './stdio.ts';
import type { McpServerSpec } from './spec.ts';

/** How long a server may take to be there and to name its tools, in milliseconds. */
export const START_MS_MAX = 10_000;

/** How many tools of one server are offered. */
export const TOOLS_MAX = 200;

/** A server that is there. */
export interface McpConnection {
  client: Client;
  tools: McpTool[];
  /** Whether there were more tools than are offered. */
  cut: boolean;
  /** Set when the server or the way to it has gone. */
  gone: boolean;
  close: () => Promise<void>;
}

/** What a connection is made with. */
export interface ConnectOptions {
  /** Of the processes that are started; the spec's own variables are added. */
  environment: NodeJS.ProcessEnv;
  cwd: string;
  /** Hears that the server has other tools now. */
  onToolsChanged: () => void;
  signal: AbortSignal;
}

/**
 * Connects to a server and lists its tools. Throws when that does not work in time; nothing is left
 * of a process then. The message ends in what the process last wrote to stderr.
 */
export async function connect(
  spec: McpServerSpec,
  options: ConnectOptions,
): Promise<McpConnection> {
  // Loaded with the first server: a session without any does not pay for it.
  const mcp = await import('@modelcontextprotocol/client');
  const client = new mcp.Client(
    { name: AGENT.name, version: AGENT.version },
    {
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 0, onChanged: options.onToolsChanged },
      },
      listMaxPages: 64,
      // Answers go to a model, which takes what comes: nothing is gained by refusing them.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({
          valid: true,
          data: data as never,
          errorMessage: undefined,
        }),
      },
    },
  );
  const transport = openTransport(mcp, spec, options);
  const time = AbortSignal.timeout(START_MS_MAX);
  const signal = AbortSignal.any([time, options.signal]);
  try {
    await orAbort(client.connect(transport, { timeout: START_MS_MAX, signal }), signal);
    const tools = await orAbort(listTools(client, signal), signal);
    const connection: McpConnection = {
      client,
      tools: tools.slice(0, TOOLS_MAX),
      cut: tools.length > TOOLS_MAX,
      gone: false,
      close: () => client.close(),
    };
    Object.assign(client, {
      onclose() {
        connection.gone = true;
      },
    });
    return connection;
  } catch (error) {
    await transport.close().catch(() => {});
    throw new Error(describe(error, { time, stderr: stderrOf(transport) }), { cause: error });
  }
}

/** The tools of a server as they are now, all pages of them. */
export async function listTools(client: Client, signal: AbortSignal): Promise<McpTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const { tools } = await client.listTools(undefined, { signal, cacheMode: 'refresh' });
  return tools;
}

function openTransport(
  mcp: typeof import('@modelcontextprotocol/client'),
  spec: McpServerSpec,
  { environment, cwd }: ConnectOptions,
): Transport {
  switch (spec.type) {
    case 'stdio': {
      const { command, args } = spec;
      return createStdioTransport({ command, args, cwd, env: { ...environment, ...spec.env } });
    }
    case 'http':
      return new mcp.StreamableHTTPClientTransport(new URL(spec.url), {
        requestInit: { headers: spec.headers },
      });
    case 'sse':
      return new mcp.SSEClientTransport(new URL(spec.url), {
        requestInit: { headers: spec.headers },
      });
  }
}

// A library that never hears of the signal must not keep anybody waiting.
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function stderrOf(transport: Transport): string {
  return 'stderr' in transport ? (transport as StdioTransport).stderr() : '';
}

function describe(error: unknown, { time, stderr }: { time: AbortSignal; stderr: string }): string {
  const reason = time.aborted
    ? `it did not answer within ${START_MS_MAX / 1000} seconds`
    : error instanceof Error
      ? [error.message, error.cause instanceof Error ? error.cause.message : '']
          .filter(Boolean)
          .join(': ')
      : String(error);
  return stderr === ''
    ? reason
    : `${reason}. It last said: ${stderr.split('\n').slice(-5).join('\n')}`;
}
