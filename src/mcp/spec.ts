/** A server that the editor asks for. */
export type McpServerSpec = { name: string } & (
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string> }
  | { type: 'http' | 'sse'; url: string; headers: Record<string, string> }
);

/** What a person should hear of a server. */
export interface McpNotice {
  title: string;
  description: string;
}
