import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import type { EventType } from '../log/events.ts';

/** What a client is told of whenever it differs from what the client has. */
export interface Mirror {
  /** Says where it comes from; `known` when the client is about to have it by an answer. */
  start: (read: () => SessionUpdate | undefined, known: boolean) => void;
  /** Tells the client, if there is something to tell. */
  show: () => void;
}

/** The events after which the options may be others. */
export const CHANGES_OPTIONS: ReadonlySet<EventType> = new Set(['mode/set', 'knob/set']);

/** The events after which the use of the context window is another. */
export const CHANGES_USAGE: ReadonlySet<EventType> = new Set(['assistant/message']);

/** A mirror that tells through `send`. */
export function createMirror(send: (update: SessionUpdate) => unknown): Mirror {
  let read: () => SessionUpdate | undefined = () => undefined;
  let shown: string | undefined;
  return {
    start(from, known) {
      read = from;
      shown = known ? JSON.stringify(read()) : undefined;
    },
    show() {
      const update = read();
      const text = JSON.stringify(update);
      if (!update || text === shown) return;
      shown = text;
      void send(update);
    },
  };
}
