import { createContext, Script } from 'node:vm';
import { codeOf } from '../base/errors.ts';

/** How long one piece of matching may take. Nothing else runs meanwhile, a cancellation neither. */
const MATCH_MS_MAX = 1500;

const WORK = new Script('work(input)');

/**
 * `work`, ended after a second and a half: some expressions would go on for ever on the right text.
 * Throws an error with the message `problem` then. Each call should be given little to do.
 */
export function createStoppable<I, O>(work: (input: I) => O, problem: string): (input: I) => O {
  // Only a script that is run so can be stopped in the middle of an expression.
  const context = createContext({ work, input: undefined });
  return (input) => {
    context['input'] = input;
    try {
      return WORK.runInContext(context, { timeout: MATCH_MS_MAX });
    } catch (error) {
      if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      throw new Error(problem, { cause: error });
    } finally {
      context['input'] = undefined;
    }
  };
}
