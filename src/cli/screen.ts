import { createMarkdown } from './markdown.ts';
import { fit, isStyled, type Look, toSequence, toVisible } from './terminal.ts';

/**
 * Where a run is seen: the answer on stdout, all else on stderr. Both may be one terminal, so no
 * line of one begins inside a line of the other. Only a terminal gets what is drawn anew.
 */
export interface Screen {
  /** A piece of the answer: markdown, styled in a terminal; in a pipe it stays as it is. */
  answer: (text: string) => void;
  /** A piece of the model's thoughts; terminals only. */
  thought: (text: string) => void;
  /** Whatever streams has ended. */
  endStream: () => void;
  /** Whole lines. */
  say: (text: string, ...looks: Look[]) => void;
  /** Whole markdown. */
  sayMarkdown: (text: string) => void;
  /** What goes on right now, with the time that it takes; terminals only. Undefined: nothing. */
  show: (doing: string | undefined) => void;
}

type Writer = (text: string) => void;

const toStdout: Writer = (text) => void process.stdout.write(text);
const toStderr: Writer = (text) => void process.stderr.write(text);

/** The screen of this process. */
export function createScreen(): Screen {
  const { stdout, stderr } = process;
  const status = createStatus();
  let stream: { kind: 'answer' | 'thought'; push: Writer; end: () => void } | undefined;
  const endStream = () => {
    stream?.end();
    stream = undefined;
  };
  const pushTo = (kind: 'answer' | 'thought', open: () => { push: Writer; end: () => void }) => {
    if (stream?.kind !== kind) {
      endStream();
      status.show(undefined);
      stream = { kind, ...open() };
    }
    return stream.push;
  };
  return {
    answer: (text) => pushTo('answer', () => openAnswer(stdout))(text),
    thought(text) {
      if (stderr.isTTY) pushTo('thought', openThought)(text);
    },
    endStream,
    say(text, ...looks) {
      endStream();
      status.show(undefined);
      const painter = isStyled(stderr) ? paint : plain;
      toStderr(`${painter(toVisible(text), looks)}\n`);
    },
    sayMarkdown(text) {
      endStream();
      status.show(undefined);
      const writer = openMarkdown(stderr, toStderr);
      writer.push(text.trim());
      writer.end();
    },
    show(doing) {
      if (doing !== undefined) endStream();
      status.show(doing);
    },
  };
}

function openAnswer(stdout: NodeJS.WriteStream) {
  if (stdout.isTTY) return openMarkdown(stdout, toStdout);
  return { push: toStdout, end: () => toStdout('\n') };
}

function openMarkdown(stream: NodeJS.WriteStream, write: Writer) {
  let last = '';
  const markdown = isStyled(stream) ? createMarkdown(write) : undefined;
  return {
    push(text: string) {
      last = text.at(-1) ?? last;
      if (markdown) markdown.push(text);
      else write(toVisible(text));
    },
    end() {
      markdown?.end();
      if (last !== '\n') write('\n');
    },
  };
}

function openThought() {
  const painter = isStyled(process.stderr) ? paint : plain;
  return {
    push: (text: string) => toStderr(painter(toVisible(text), ['dim'])),
    end: () => toStderr('\n'),
  };
}

function paint(text: string, looks: readonly Look[]): string {
  return looks.length === 0 ? text : `${toSequence(looks)}${text}${toSequence([])}`;
}

const plain = (text: string) => text;

const TICK_MS = 120;
const FRAMES = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];

// One line that is drawn again and again, and is gone before anything else is written.
function createStatus(): { show: Screen['show'] } {
  const { stderr } = process;
  let doing: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let since = 0;
  let ticks = 0;
  const draw = () => {
    const seconds = Math.floor((Date.now() - since) / 1000);
    const line = fit(
      `${FRAMES[ticks++ % FRAMES.length]} ${seconds} s ${doing}`,
      (stderr.columns || 80) - 1,
    );
    toStderr(`\r\x1b[K${paint(toVisible(line), ['dim'])}`);
  };
  return {
    show(next) {
      if (!isStyled(stderr)) return;
      doing = next;
      if (next === undefined) {
        if (timer === undefined) return;
        clearInterval(timer);
        timer = undefined;
        toStderr('\r\x1b[K');
        return;
      }
      if (timer !== undefined) return;
      since = Date.now();
      draw();
      // What is drawn keeps no process alive.
      timer = setInterval(draw, TICK_MS).unref();
    },
  };
}
