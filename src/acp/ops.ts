import type {
  ClientCapabilities,
  ClientContext,
  ContentBlock,
  ForkSessionRequest,
  LoadSessionRequest,
  NewSessionRequest,
} from '@agentclientprotocol/sdk/unstable';
import { methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk/unstable';

/** One act of the person at the editor, driven through the real RPC. */
export type Op =
  | { op: 'initialize'; clientCapabilities?: ClientCapabilities | undefined }
  | { op: 'newSession' | 'loadSession' | 'resumeSession' | 'forkSession' }
  /** The agent ends (killed, if `kill`) and another one is started. */
  | { op: 'restart'; kill?: boolean | undefined }
  | { op: 'setMode'; modeId: string }
  | { op: 'setConfigOption'; configId: string; value: string }
  /** `content` stands behind the text: images, files. */
  | {
      op: 'prompt';
      text?: string | undefined;
      content?: ContentBlock[] | undefined;
      during?: Moment[] | undefined;
    }
  | { op: 'cancel' };

/**
 * What happens while a prompt runs: as its question of that number waits for an answer, as the tool
 * call of that id runs, or as the model's answer in that exchange of the recording has come as far
 * as it was recorded. Numbers count from 1; `request` needs a replay in this process.
 */
export type Moment = { ops: Op[] } & (
  { question: number } | { call: string } | { request: number }
);

/** Sends the request of an op; resolves with the id of the session that it opened, if it did. */
export async function performOp(
  context: ClientContext,
  op: Exclude<Op, { op: 'restart' }>,
  { sessionId, cwd }: { sessionId: string; cwd: string },
): Promise<string | undefined> {
  const { session, initialize } = methods.agent;
  const stored: LoadSessionRequest & ForkSessionRequest = { sessionId, cwd, mcpServers: [] };
  switch (op.op) {
    case 'initialize': {
      const clientCapabilities = op.clientCapabilities ?? {};
      const protocolVersion = PROTOCOL_VERSION;
      await context.request(initialize, { protocolVersion, clientCapabilities });
      return undefined;
    }
    case 'newSession': {
      const params: NewSessionRequest = { cwd, mcpServers: [] };
      return (await context.request(session.new, params)).sessionId;
    }
    case 'loadSession':
      await context.request(session.load, stored);
      return sessionId;
    case 'resumeSession':
      await context.request(session.resume, stored);
      return sessionId;
    case 'forkSession':
      return (await context.request(session.fork, stored)).sessionId;
    case 'setMode':
      await context.request(session.setMode, { sessionId, modeId: op.modeId });
      return undefined;
    case 'setConfigOption': {
      const { configId, value } = op;
      await context.request(session.setConfigOption, { sessionId, configId, value });
      return undefined;
    }
    case 'prompt': {
      const { text, content = [] } = op;
      const prompt: ContentBlock[] =
        text === undefined ? content : [{ type: 'text', text }, ...content];
      await context.request(session.prompt, { sessionId, prompt });
      return undefined;
    }
    case 'cancel':
      await context.notify(session.cancel, { sessionId });
      return undefined;
  }
}
