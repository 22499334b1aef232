import { createInterface, type Interface } from 'node:readline/promises';
import type { Question, Reply } from '../log/events.ts';
import type { Printer } from './printer.ts';

/** The person at the terminal, or nobody where there is none. */
export interface Person {
  ask: (question: Question, signal: AbortSignal) => Promise<Reply>;
  /** Whether a plan was presented that nobody could review. */
  planWaits: () => boolean;
  leave: () => void;
}

/** Asks on stderr and reads from the terminal; `approvePlan` approves without asking. */
export function createPerson(printer: Printer, approvePlan: boolean): Person {
  const isThere = process.stdin.isTTY && process.stderr.isTTY;
  let terminal: Interface | undefined;
  let waits = false;
  const read = (prompt: string, signal: AbortSignal) => {
    terminal ??= createInterface({ input: process.stdin, output: process.stderr });
    return terminal.question(prompt, { signal });
  };
  const review = async (signal: AbortSignal): Promise<Reply> => {
    if (approvePlan) return { outcome: 'approve', unreviewed: true };
    if (!isThere) {
      waits = true;
      return { outcome: 'cancelled' };
    }
    const answer = await read('Approve this plan? [y, or n, or what to change] ', signal);
    if (/^y(es)?$/i.test(answer.trim())) return { outcome: 'approve' };
    const feedback = /^n?o?$/i.test(answer.trim()) ? undefined : answer.trim();
    return { outcome: 'keep_planning', feedback };
  };
  const permit = async (
    question: Extract<Question, { kind: 'permission' }>,
    signal: AbortSignal,
  ): Promise<Reply> => {
    if (!isThere) {
      const feedback = 'Nobody is there to ask. Do without it, or say what you could not do.';
      return { outcome: 'reject_once', feedback };
    }
    for (const path of question.outside) printer.note(`Outside the workspace: ${path}`);
    if (question.escalated) printer.note('Outside the sandbox: this command is not confined.');
    const more = question.grant ? ', s for this session' : '';
    const answer = (await read(`Allow? [y, n${more}, or why not] `, signal)).trim();
    if (/^y(es)?$/i.test(answer)) return { outcome: 'allow_once' };
    if (question.grant && /^s$/i.test(answer)) return { outcome: 'allow_always' };
    return { outcome: 'reject_once', feedback: /^n?o?$/i.test(answer) ? undefined : answer };
  };
  return {
    planWaits: () => waits,
    leave: () => terminal?.close(),
    async ask(question, signal) {
      try {
        switch (question.kind) {
          case 'review':
            return await review(signal);
          case 'permission':
            return await permit(question, signal);
          case 'question':
            return { outcome: 'failed', reason: 'questions are asked in prose here.' };
        }
      } catch (error) {
        if (signal.aborted) return { outcome: 'cancelled' };
        return { outcome: 'failed', reason: String(error) };
      }
    },
  };
}
