import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import type { LogEvent } from '../log/events.ts';
import type { Notice } from '../session/open.ts';
import { toDelta } from './updates.ts';

/**
 * Tells a person what is no part of the conversation: as a notice where the client takes them, else
 * as a message. Editors drop what they hear of a session before they hear that it exists, so all is
 * held back until `release`.
 */
export function createNotices(send: (update: SessionUpdate) => unknown, takesNotices: boolean) {
  let told = 0;
  let held: Notice[] | undefined = [];
  const tell = ({ title, description, severity }: Notice) => {
    const text = `${title}: ${description}`;
    void send(
      takesNotices
        ? { sessionUpdate: 'notice', severity, title, description }
        : toDelta(`notice_${++told}`, { kind: 'text', text }),
    );
  };
  return {
    notify(notice: Notice) {
      if (held) held.push(notice);
      else tell(notice);
    },
    release() {
      for (const notice of held ?? []) tell(notice);
      held = undefined;
    },
  };
}

/** That a request is made once more. */
export function toRetryNotice({
  attempt,
  reason,
  delayMs,
}: Extract<LogEvent, { type: 'retry' }>): Notice {
  const seconds = (delayMs / 1000).toFixed(1);
  return {
    severity: 'warning',
    title: `The model is asked again in ${seconds} s (${attempt})`,
    description: reason,
  };
}
