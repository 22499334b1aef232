import type { Frame } from './client.ts';
import { isObject } from '../base/json.ts';

/** An update of a session, loosely typed: tests look into it. */
export type Update = Record<string, unknown> & { sessionUpdate: string };

/** The update that a frame carries, if it is a `session/update`. */
export function updateOf({ message }: Frame): Update | undefined {
  const { method, params } = message as Record<string, unknown>;
  if (method !== 'session/update' || !isObject(params)) return undefined;
  return params['update'] as Update;
}

const CHUNKS = new Set(['agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk']);

/** Joins neighbouring chunks of one message: how a text was cut on its way is nobody's concern. */
export function joinChunks(updates: readonly Update[]): Update[] {
  const joined: Update[] = [];
  for (const update of updates) {
    const last = joined.at(-1);
    if (last && continues(last, update)) {
      joined[joined.length - 1] = { ...last, content: joinText(last, update) };
    } else {
      joined.push(update);
    }
  }
  return joined;
}

function continues(last: Update, update: Update): boolean {
  return (
    CHUNKS.has(update.sessionUpdate) &&
    last.sessionUpdate === update.sessionUpdate &&
    last['messageId'] === update['messageId']
  );
}

function joinText(a: Update, b: Update): { type: 'text'; text: string } {
  return { type: 'text', text: textOf(a) + textOf(b) };
}

function textOf(update: Update): string {
  return (update['content'] as { text: string }).text;
}

/** Whether an update shows output that is still coming: how often it does is a matter of time. */
export function isProgress(update: Update): boolean {
  return update.sessionUpdate === 'tool_call_update' && update['status'] === undefined;
}

/** The frames as a golden keeps them: chunks joined, progress left out. */
export function steadyFrames(frames: readonly Frame[]): Frame[] {
  const steady: Frame[] = [];
  for (const frame of frames) {
    const update = updateOf(frame);
    if (update && isProgress(update)) continue;
    const last = steady.at(-1);
    const lastUpdate = last && updateOf(last);
    if (last && update && lastUpdate && continues(lastUpdate, update)) {
      const joined = { ...lastUpdate, content: joinText(lastUpdate, update) };
      steady[steady.length - 1] = withUpdate(last, joined);
    } else {
      steady.push(frame);
    }
  }
  return steady;
}

function withUpdate(frame: Frame, update: Update): Frame {
  const message = frame.message as { params: Record<string, unknown> };
  const params = { ...message.params, update };
  return { ...frame, message: { ...message, params } as unknown as Frame['message'] };
}
