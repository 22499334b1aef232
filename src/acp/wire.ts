import type {
  AvailableCommand,
  ClientCapabilities,
  SessionUpdate,
} from '@agentclientprotocol/sdk/unstable';
import type { LogEvent } from '../log/events.ts';
import type { Sink } from '../log/log.ts';
import type { Client } from '../loop/agent.ts';
import type { Attachment } from '../session/open.ts';
import type { Tool } from '../tools/tool.ts';
import { askThroughClient } from './ask.ts';
import { type SentCard, toCardContent } from './cards.ts';
import { openThroughClient } from './client_files.ts';
import type { ClientPort } from './client_port.ts';
import { joinDeltas } from './join_deltas.ts';
import { CHANGES_OPTIONS, CHANGES_USAGE, createMirror, type Mirror } from './mirror.ts';
import { createNotices, toRetryNotice } from './notices.ts';
import { createProjection, toDelta } from './updates.ts';

/** One session's way to its client. */
export interface Wire extends Attachment {
  /** Tells the client which mode is picked. */
  showMode: (modeId: string) => void;
  /** What was held back is told: the client knows the session from now on. */
  release: () => void;
  options: Mirror;
  usage: Mirror;
  showCommands: (commands: AvailableCommand[]) => void;
  /** Speaks to the person outside any turn. */
  say: (messageId: string, text: string) => void;
  /** Nothing is sent any more. */
  close: () => void;
}

/** The client at the other end of a connection, and what it said it can do. */
export interface Connection {
  client: ClientPort;
  capabilities: ClientCapabilities;
}

// A client this many updates behind is waited for, so that a slow reader costs no memory.
const UPDATES_AHEAD_MAX = 256;

/** The wire of a session: events and deltas become updates, questions become requests. */
export function createWire(
  connection: Connection,
  session: { id: string; cwd: string; tools: readonly Tool[] },
): Wire {
  const cards = new Map<string, SentCard>();
  const project = createProjection(session, (card) => cards.set(card.toolCallId, card));
  const { send, close } = createSender(connection.client, session.id);
  let shownMode: string | undefined;
  let streamedMessage: string | undefined;

  const showMode = (currentModeId: string) => {
    shownMode = currentModeId;
    return send({ sessionUpdate: 'current_mode_update', currentModeId });
  };
  const options = createMirror(send);
  const usage = createMirror(send);
  const takesNotices = Boolean(connection.capabilities.session?.notices);
  const notices = createNotices(send, takesNotices);
  const takesCompactions = Boolean(connection.capabilities.session?.compaction);
  const show = (update: SessionUpdate) => {
    if (update.sessionUpdate === 'compaction_update' && !takesCompactions) return undefined;
    if (update.sessionUpdate !== 'current_mode_update') return send(update);
    return update.currentModeId === shownMode ? undefined : showMode(update.currentModeId);
  };
  const deltas = joinDeltas((messageId, delta) => send(toDelta(messageId, delta)));
  const sink: Sink = (event, state) => {
    deltas.flush();
    for (const update of project(event, state)) {
      if (!isReplayOnly(event, update, streamedMessage)) void show(update);
    }
    if (event.type === 'tool/result') cards.delete(event.callId);
    if (event.type === 'retry' && takesNotices) notices.notify(toRetryNotice(event));
    if (CHANGES_OPTIONS.has(event.type)) options.show();
    if (CHANGES_USAGE.has(event.type)) usage.show();
  };
  const client: Client = {
    ask(question, signal) {
      const cardOf = (callId: string) => toCardUpdate(cards.get(callId));
      return askThroughClient({ ...connection, sessionId: session.id, cardOf }, question, signal);
    },
    onDelta(messageId, delta) {
      streamedMessage = messageId;
      return deltas.add(messageId, delta);
    },
    onCompaction: (status) => void show({ sessionUpdate: 'compaction_update', ...status }),
    onProgress(callId, text) {
      const content = [toCardContent({ type: 'text', text }, undefined)];
      void send({ sessionUpdate: 'tool_call_update', toolCallId: callId, content });
    },
  };
  const say = (messageId: string, text: string) =>
    void send(toDelta(messageId, { kind: 'text', text }));
  return {
    client,
    sink,
    throughClient: (openDisk) =>
      openThroughClient({ ...connection, sessionId: session.id }, openDisk),
    options,
    usage,
    ...notices,
    replay: (event, state) => project(event, state).map(show).findLast(Boolean),
    showMode: (modeId) => void showMode(modeId),
    showCommands(availableCommands) {
      void send({ sessionUpdate: 'available_commands_update', availableCommands });
    },
    say,
    close,
  };
}

// Sends in order; returns a promise only when the client has fallen behind.
function createSender(client: ClientPort, sessionId: string) {
  let ahead = 0;
  let closed = false;
  const send = (update: SessionUpdate): Promise<void> | undefined => {
    if (closed) return undefined;
    ahead += 1;
    const sent = client
      .notify('session/update', { sessionId, update })
      // The client is gone. The turn ends through its own signal, and the log has everything.
      .catch(() => {})
      .finally(() => {
        ahead -= 1;
      });
    return ahead > UPDATES_AHEAD_MAX ? sent : undefined;
  };
  const close = () => {
    closed = true;
  };
  return { send, close };
}

// What streamed already, or came from the editor itself, is for the replay alone.
function isReplayOnly(
  event: LogEvent,
  update: SessionUpdate,
  streamedMessage: string | undefined,
): boolean {
  // The choice itself was answered at once.
  if (event.type === 'mode/intent') return true;
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
      return true;
    case 'agent_thought_chunk':
    case 'agent_message_chunk':
      return update.messageId === streamedMessage;
    default:
      return false;
  }
}

// Some clients show a permission question from its own `toolCall` alone.
function toCardUpdate(card: SentCard | undefined) {
  if (!card) return {};
  const { sessionUpdate: _, status: __, ...update } = card;
  return update;
}
