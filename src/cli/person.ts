import type { Question, Reply } from '../log/events.ts';
import { createKeyboard } from './keyboard.ts';
import { askQuestions } from './questions.ts';
import { type Ask, readPermission, readReview } from './review.ts';
import type { Screen } from './screen.ts';
import { isPersonThere } from './terminal.ts';

/** The person at the terminal, or nobody where there is none. */
export interface Person {
  ask: (question: Question, signal: AbortSignal) => Promise<Reply>;
  /** Whether a plan was presented that nobody could review. */
  planWaits: () => boolean;
}

/** How the person is reached; `approvePlan` approves a plan without asking. */
export interface PersonParts {
  screen: Screen;
  approvePlan: boolean;
  onInterrupt: () => void;
}

/** Asks on stderr and reads from the terminal. */
export function createPerson({ screen, approvePlan, onInterrupt }: PersonParts): Person {
  const keyboard = createKeyboard(onInterrupt);
  let waits = false;
  const askHere = (question: Question, ask: Ask): Promise<Reply> => {
    switch (question.kind) {
      case 'review':
        return readReview(ask);
      case 'permission':
        return readPermission(ask, question);
      case 'question':
        return askQuestions(ask, question.questions);
    }
  };
  const answerAlone = ({ kind }: Question): Reply => {
    switch (kind) {
      case 'review':
        waits = true;
        return { outcome: 'cancelled' };
      case 'permission':
        return {
          outcome: 'reject_once',
          feedback: 'Nobody is there to ask. Do without it, or say what you could not do.',
        };
      case 'question':
        return { outcome: 'failed', reason: 'nobody is there to answer.' };
    }
  };
  return {
    planWaits: () => waits,
    async ask(question, signal) {
      if (question.kind === 'review' && approvePlan)
        return { outcome: 'approve', unreviewed: true };
      if (!isPersonThere()) return answerAlone(question);
      const reply = await askHere(question, {
        say: (text) => screen.say(text),
        read: (prompt) => keyboard.read(prompt, signal),
      });
      return signal.aborted ? { outcome: 'cancelled' } : reply;
    },
  };
}
