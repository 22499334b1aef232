import { type Look, toSequence } from './terminal.ts';

/** Puts text with looks into one string of as few sequences as it takes. */
export interface Pen {
  put: (text: string, looks?: readonly Look[]) => void;
  take: () => string;
}

/** A pen that has written nothing yet. */
export function createPen(): Pen {
  const plain = toSequence([]);
  let text = '';
  let last = plain;
  const turn = (sequence: string) => {
    if (sequence !== last) text += sequence;
    last = sequence;
  };
  return {
    put(piece, looks = []) {
      turn(piece === '\n' ? plain : toSequence(looks));
      text += piece;
    },
    take() {
      turn(plain);
      const taken = text;
      text = '';
      return taken;
    },
  };
}
