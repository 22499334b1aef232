import type { LogEvent } from '../log/events.ts';
import type { Delta, ModelCall, Usage } from '../model/types.ts';
import { EXIT_PLAN_MODE } from '../modes/exit_plan_mode.ts';

/** How a run is written: as text, as one JSON object at its end, or as the events of its log. */
export type Output = 'text' | 'json' | 'jsonl';

/** How a run ended. */
export interface RunResult {
  sessionId: string;
  stopReason: string;
  usage: Usage | undefined;
  /** A plan that waits for its review. */
  plan: string | undefined;
}

/** Writes a run: the answer to stdout, everything else to stderr. */
export interface Printer {
  delta: (messageId: string, delta: Delta) => void;
  event: (event: LogEvent) => void;
  note: (text: string) => void;
  end: (result: RunResult) => void;
  fail: (sessionId: string, message: string) => void;
}

/** The printer for one of the outputs. */
export function createPrinter(output: Output): Printer {
  const out = (text: string) => void process.stdout.write(text);
  const note = (text: string) => void process.stderr.write(`${text}\n`);
  let text = '';
  let streaming = false;
  const breakLine = () => {
    if (streaming) out('\n');
    streaming = false;
  };
  return {
    note,
    delta(_, { kind, text: piece }) {
      if (output !== 'text' || kind !== 'text') return;
      streaming = true;
      out(piece);
    },
    event(event) {
      if (output === 'jsonl') out(`${JSON.stringify(event)}\n`);
      if (event.type === 'assistant/message') text = event.text;
      if (output !== 'text') return;
      if (event.type === 'assistant/message') {
        breakLine();
        for (const one of event.calls) note(describeCall(one));
      }
      if (event.type === 'tool/result' && event.isError) {
        const [block] = event.content;
        note(`  ${shorten(block?.type === 'text' ? block.text : '')}`);
      }
      if (event.type === 'mode/set') note(`◆ Mode: ${event.mode}`);
    },
    end({ plan, ...result }) {
      if (output === 'json') out(`${JSON.stringify({ ...result, text, plan })}\n`);
      if (output === 'text' && plan !== undefined) out(`${plan.trimEnd()}\n`);
      if (output !== 'text') return;
      note(
        plan === undefined
          ? `session ${result.sessionId}`
          : `This plan waits for your review. Go on with --resume ${result.sessionId}.`,
      );
    },
    fail(sessionId, message) {
      breakLine();
      if (output === 'json') out(`${JSON.stringify({ sessionId, error: message })}\n`);
      note(`planfold: ${message}`);
    },
  };
}

// A person who is about to review a plan sees all of it; elsewhere it is written at the end.
function describeCall({ name, arguments: given }: ModelCall): string {
  const plan = name === EXIT_PLAN_MODE && process.stderr.isTTY ? planIn(given) : undefined;
  return plan === undefined ? `● ${name} ${shorten(given)}` : `◆ Plan\n\n${plan.trim()}\n`;
}

function planIn(given: string): string | undefined {
  try {
    const { plan } = JSON.parse(given) as { plan?: unknown };
    return typeof plan === 'string' ? plan : undefined;
  } catch {
    return undefined;
  }
}

const SHOWN_LENGTH_MAX = 120;

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > SHOWN_LENGTH_MAX ? `${line.slice(0, SHOWN_LENGTH_MAX - 1)}…` : line;
}
