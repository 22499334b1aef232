import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CreateElicitationResponse } from '@agentclientprotocol/sdk/unstable';
import type { Moment, Op } from './ops.ts';
import type { PermissionAnswer } from './scenario.ts';
import { codeOf, messageOf, UserError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';

/** What a recording knows of the person whose session it is. */
export interface Owner {
  config: JsonObject;
  shell: string;
}

/**
 * A scenario while it happens. What is done is written at once: a process that is killed leaves
 * what was done until then.
 */
export interface ScenarioDraft {
  /** The session begins: from now on everything is written. */
  begin: (owner: Owner) => void;
  /** The person does something: while a prompt runs, it becomes a moment of that prompt. */
  did: (op: Exclude<Op, { op: 'prompt' }>) => void;
  /** A prompt begins. Call what it gives when the prompt has its answer. */
  prompted: (op: Extract<Op, { op: 'prompt' }>) => () => void;
  /** A question is asked. Call what it gives with the answer, or with nothing if none came. */
  asked: (kind: 'elicitation' | 'permission') => (answer?: Answer) => void;
  /** A tool call begins to run. Call what it gives when it has ended. */
  called: (callId: string) => () => void;
  /** The model is asked. */
  requested: () => void;
}

/** What came back from a question. */
export type Answer = { elicitation: CreateElicitationResponse } | { permission: PermissionAnswer };

// A question that was withdrawn takes its place in the queue all the same.
const NO_ANSWER = {
  elicitation: { elicitation: { action: 'cancel' } },
  permission: { permission: 'cancelled' },
} as const satisfies Record<string, Answer>;

/**
 * The draft of the scenario in `directory`; `scrub` takes out what a recording must not hold.
 * Throws `UserError` for a directory that is not empty or cannot be made.
 */
export function createScenarioDraft(
  directory: string,
  scrub: (jsonText: string) => string,
): ScenarioDraft {
  makeEmpty(directory);
  let owner: Owner | undefined;
  const ops: Op[] = [];
  const elicitationAnswers: CreateElicitationResponse[] = [];
  const permissionAnswers: PermissionAnswer[] = [];
  let running: { moments: Moment[]; questions: number; asking: boolean } | undefined;
  const calls = new Set<string>();
  let requests = 0;

  const save = () => {
    if (!owner) return;
    const { config, shell } = owner;
    const description = 'A session as it was recorded.';
    const scenario = { description, config, shell, ops, elicitationAnswers, permissionAnswers };
    const path = join(directory, 'input.json');
    writeFileSync(`${path}.new`, `${scrub(JSON.stringify(scenario, null, 2))}\n`);
    renameSync(`${path}.new`, path);
  };
  const momentOf = ({ questions, asking }: NonNullable<typeof running>, op: Op): Moment => {
    const [call] = calls;
    if (asking) return { question: questions, ops: [op] };
    return call === undefined ? { request: requests, ops: [op] } : { call, ops: [op] };
  };
  return {
    begin(known) {
      owner = known;
      save();
    },
    did(op) {
      if (running) running.moments.push(momentOf(running, op));
      else ops.push(op);
      save();
    },
    prompted(op) {
      const moments: Moment[] = [];
      running = { moments, questions: 0, asking: false };
      ops.push({
        ...op,
        get during() {
          return moments.length === 0 ? undefined : moments;
        },
      });
      save();
      return () => {
        running = undefined;
      };
    },
    asked(kind) {
      const here = running;
      if (here) Object.assign(here, { questions: here.questions + 1, asking: true });
      return (answer = NO_ANSWER[kind]) => {
        if (here) here.asking = false;
        if ('elicitation' in answer) elicitationAnswers.push(answer.elicitation);
        else permissionAnswers.push(answer.permission);
        save();
      };
    },
    called(callId) {
      calls.add(callId);
      return () => void calls.delete(callId);
    },
    requested() {
      requests += 1;
    },
  };
}

function makeEmpty(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
    if (readdirSync(directory).length === 0) return;
  } catch (error) {
    if (codeOf(error) !== 'ENOTDIR') {
      throw new UserError(`--record cannot write to ${directory}: ${messageOf(error)}`);
    }
  }
  throw new UserError(`--record wants a new or empty directory; ${directory} is none.`);
}
