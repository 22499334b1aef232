/** How `planfold run` leaves. */
export const EXIT = { done: 0, failed: 1, planWaits: 3, unfinished: 4, cancelled: 130 } as const;

const MEANINGS: Record<keyof typeof EXIT, string> = {
  done: 'done',
  failed: 'failed, or the command line does not fit',
  planWaits: 'a plan waits for its review; --resume goes on',
  unfinished: 'stopped at a limit, or refused',
  cancelled: 'cancelled',
};

/** The codes with what each says, for the help and the README. */
export function listExitCodes(): { code: number; meaning: string }[] {
  return (Object.keys(EXIT) as (keyof typeof EXIT)[]).map((name) => ({
    code: EXIT[name],
    meaning: MEANINGS[name],
  }));
}
