import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

const BINARY = new URL('../../bin/planfold.js', import.meta.url).pathname;

/** A pseudo-terminal of 100 columns, which `script` of util-linux provides. */
export interface Terminal {
  /** Everything that was written, as it came. */
  raw: () => string;
  /** The same without looks. */
  text: () => string;
  /** Resolves when `words` come behind what an earlier call has waited for. */
  until: (words: string) => Promise<void>;
  /** What a person types; `\r` is Enter, `\x03` Ctrl-C. */
  type: (keys: string) => void;
  exited: Promise<number | null>;
}

/** Where a program runs. */
interface Place {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Starts the built binary with `args`, quoted for a shell where that is needed. */
export function startTerminal(args: string, place: Place): Terminal {
  return startInTerminal(`${process.execPath} ${BINARY} ${args}`, place);
}

/** Starts a program, as a shell would. */
export function startInTerminal(program: string, { cwd, env }: Place): Terminal {
  const line = `stty cols 100 rows 40; exec ${program}`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { TERM: 'xterm-256color', ...env },
  });
  let raw = '';
  let seen = 0;
  const waiting = new Set<() => void>();
  const text = () => stripVTControlCharacters(raw).replaceAll('\r', '');
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    raw += piece;
    for (const check of waiting) check();
  });
  return {
    raw: () => raw,
    text,
    until: (words) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const at = text().indexOf(words, seen);
          if (at === -1) return;
          seen = at + words.length;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        child.once('close', () => reject(new Error(`No \`${words}\` in:\n${text().slice(seen)}`)));
        check();
      }),
    type: (keys) => void child.stdin.write(keys),
    exited: new Promise((resolve) => child.once('close', (code) => resolve(code))),
  };
}
