import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { InputError } from '../base/errors.ts';
import type { SessionCreated } from '../log/events.ts';
import { readEvents } from '../log/read.ts';
import { createStore } from '../log/store.ts';
import { deleteLog } from './library.ts';

/** A log that a new session starts from. */
export interface Parent {
  path: string;
  /** Takes what stands before a damage, instead of refusing the log. */
  salvage?: boolean;
}

/** The first line of the new log. */
export interface Child {
  created: Omit<SessionCreated, 'parent'>;
  /** ISO 8601. */
  time: string;
  path: string;
}

/**
 * Writes the log of a new session: its own line 1, then the parent's events up to its last closed
 * turn and the idle records after it, byte for byte. The parent is only read, so a turn may run in
 * it meanwhile. Throws `DamagedLogError`, or `UserError` when the new log cannot be written.
 */
export function forkLog(parent: Parent, child: Child): void {
  const fd = openSync(parent.path, 'r');
  try {
    const { id, seq, start, end } = findClosedPart(fd, parent);
    const store = createStore(child.path);
    store.append({ seq: 1, time: child.time, ...child.created, parent: { id, seq } });
    store.close();
    copyBytes({ from: fd, start, end, to: child.path });
  } catch (error) {
    deleteLog(child.path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

interface ClosedPart {
  id: string;
  /** The last event that comes along. */
  seq: number;
  start: number;
  end: number;
}

function findClosedPart(fd: number, { path, salvage = false }: Parent): ClosedPart {
  let part: ClosedPart | undefined;
  let turnIsOpen = false;
  try {
    for (const { event, end } of readEvents(fd, path)) {
      const { seq, type } = event;
      if (type === 'session/created') part = { id: event.id, seq, start: end, end };
      if (type === 'turn/start') turnIsOpen = true;
      if (type === 'turn/end') turnIsOpen = false;
      if (part && !turnIsOpen) part = { ...part, seq, end };
    }
  } catch (error) {
    if (!salvage || !part) throw error;
  }
  if (part) return part;
  throw new InputError(`${path} holds no session: its first line is not whole.`);
}

const CHUNK_BYTES = 1024 * 1024;

function copyBytes(copy: { from: number; start: number; end: number; to: string }): void {
  const fd = openSync(copy.to, 'a');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (let at = copy.start; at < copy.end;) {
      const length = readSync(copy.from, chunk, 0, Math.min(CHUNK_BYTES, copy.end - at), at);
      if (length === 0) break;
      for (let sent = 0; sent < length;) sent += writeSync(fd, chunk, sent, length - sent);
      at += length;
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
