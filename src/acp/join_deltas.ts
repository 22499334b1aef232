import type { Delta } from '../model/types.ts';

/** A piece of an answer, or several that came together. */
export type Send = (messageId: string, delta: Delta) => Promise<void> | undefined;

/** Pieces of an answer on their way out. */
export interface DeltaJoiner {
  /**
   * Takes a piece. Resolves with what `send` last gave back, to wait for a client that is behind.
   */
  add: Send;
  /** Sends what is held; to be called before anything else is sent. */
  flush: () => void;
}

/**
 * Joins the pieces that come in one tick of the event loop: a network packet holds many, and each
 * on its own would cost a frame. Nothing is held longer than that.
 */
export function joinDeltas(send: Send): DeltaJoiner {
  let held: { messageId: string; kind: Delta['kind']; texts: string[] } | undefined;
  let sent: Promise<void> | undefined;

  const flush = () => {
    if (!held) return;
    const { messageId, kind, texts } = held;
    held = undefined;
    sent = send(messageId, { kind, text: texts.join('') });
  };
  return {
    add(messageId, { kind, text }) {
      if (held?.messageId !== messageId || held.kind !== kind) {
        flush();
        held = { messageId, kind, texts: [] };
        setImmediate(flush);
      }
      held.texts.push(text);
      return sent;
    },
    flush,
  };
}
