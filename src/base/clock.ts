import { randomBytes } from 'node:crypto';

/**
 * The current time as an ISO 8601 string in UTC with milliseconds. Injected wherever time is read.
 */
export type Clock = () => string;

/** The clock of the machine. */
export const systemClock: Clock = () => new Date().toISOString();

/** Makes the ids of one process. Injected wherever an id is minted. */
export interface Ids {
  /** A session id: sorts by creation time, safe as a file name. */
  session(): string;
  /** An id for a message, a question or a compaction, unique across sessions. */
  next(kind: 'msg' | 'ask' | 'compaction'): string;
}

const RANDOM_BYTES = 8;

const random = () => randomBytes(RANDOM_BYTES).toString('hex');

/** Ids from the machine's clock and random source. */
export function createIds(now: () => number = Date.now): Ids {
  let last = 0;
  return {
    session() {
      // Two sessions of one millisecond still sort in the order of their creation.
      last = Math.max(now(), last + 1);
      return `${last.toString(36).padStart(9, '0')}-${random()}`;
    },
    next: (kind) => `${kind}_${random()}`,
  };
}
