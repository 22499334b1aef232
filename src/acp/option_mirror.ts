import type { SessionConfigOption, SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import type { EventType } from '../log/events.ts';

/** The events after which the options may be others. */
export const CHANGES_OPTIONS: ReadonlySet<EventType> = new Set(['mode/set', 'knob/set']);

/**
 * Keeps a client's picture of the options in step: it is told of them whenever they differ from
 * what it has. `start` says where they come from, when the client is about to have them by answer.
 */
export function createOptionMirror(send: (update: SessionUpdate) => unknown) {
  let read: (() => SessionConfigOption[]) | undefined;
  let shown = '';
  return {
    start(from: () => SessionConfigOption[]) {
      read = from;
      shown = JSON.stringify(read());
    },
    show() {
      if (!read) return;
      const configOptions = read();
      const text = JSON.stringify(configOptions);
      if (text === shown) return;
      shown = text;
      void send({ sessionUpdate: 'config_option_update', configOptions });
    },
  };
}
