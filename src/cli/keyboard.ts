import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** Reads what a person types. */
export interface Keyboard {
  /**
   * Asks and resolves with what was typed, several lines where they were pasted; undefined when the
   * person closed the question (Ctrl-D), now or earlier, or `signal` was aborted.
   */
  read: (prompt: string, signal: AbortSignal) => Promise<string | undefined>;
}

const DRAIN_MS = 30;
const PASTE_MS = 30;

/** The keyboard of this terminal. While it reads, Ctrl-C is a key: `onInterrupt` hears of it. */
export function createKeyboard(onInterrupt: () => void): Keyboard {
  return {
    async read(prompt, signal) {
      await drain();
      if (signal.aborted || process.stdin.readableEnded) return undefined;
      const terminal = createInterface({ input: process.stdin, output: process.stderr });
      const close = () => terminal.close();
      terminal.on('SIGINT', onInterrupt);
      signal.addEventListener('abort', close);
      terminal.setPrompt(prompt);
      terminal.prompt();
      const lines: string[] = [];
      await new Promise<void>((resolve) => {
        terminal.once('close', resolve);
        // The lines of a paste come all at once: they are one answer, not several.
        terminal.once('line', () => setTimeout(close, PASTE_MS));
        terminal.on('line', (line) => lines.push(line));
      });
      signal.removeEventListener('abort', close);
      if (lines.length === 0) process.stderr.write('\n');
      return lines.length === 0 || signal.aborted ? undefined : lines.join('\n').trim();
    },
  };
}

// What was typed before a question could be seen is no answer to it.
async function drain(): Promise<void> {
  const drop = () => {};
  process.stdin.on('data', drop);
  process.stdin.resume();
  await sleep(DRAIN_MS);
  process.stdin.off('data', drop);
  process.stdin.pause();
}
