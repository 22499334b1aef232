import type { LogEvent } from '../log/events.ts';
import type { Delta, Usage } from '../model/types.ts';
import type { Screen } from './screen.ts';

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

/** Writes a run to stdout; how it ended is told on stderr as well. */
export interface Printer {
  delta: (delta: Delta) => void;
  event: (event: LogEvent) => void;
  end: (result: RunResult) => void;
  fail: (sessionId: string, message: string) => void;
}

/** The printer for one of the outputs. */
export function createPrinter(output: Output, screen: Screen): Printer {
  switch (output) {
    case 'text':
      return createTextPrinter(screen);
    case 'json':
      return createJsonPrinter(screen);
    case 'jsonl':
      return createLogPrinter(screen);
  }
}

const out = (text: string) => void process.stdout.write(text);

function createTextPrinter(screen: Screen): Printer {
  return {
    delta: ({ kind, text }) => (kind === 'text' ? screen.answer(text) : screen.thought(text)),
    event(event) {
      if (event.type === 'assistant/message') screen.endStream();
    },
    end({ sessionId, stopReason, plan }) {
      if (plan !== undefined) {
        screen.answer(plan.trimEnd());
        screen.endStream();
        return screen.say(`This plan waits for your review. Go on with --resume ${sessionId}.`);
      }
      if (stopReason !== 'end_turn') screen.say(`Stopped: ${stopReason}`, 'yellow');
      screen.say(`session ${sessionId}`, 'dim');
    },
    fail: (_, message) => screen.say(`planfold: ${message}`, 'red'),
  };
}

function createJsonPrinter(screen: Screen): Printer {
  let text = '';
  return {
    delta() {},
    event(event) {
      if (event.type === 'assistant/message') text = event.text;
    },
    end: ({ plan, ...result }) => out(`${JSON.stringify({ ...result, text, plan })}\n`),
    fail(sessionId, message) {
      out(`${JSON.stringify({ sessionId, error: message })}\n`);
      screen.say(`planfold: ${message}`, 'red');
    },
  };
}

function createLogPrinter(screen: Screen): Printer {
  return {
    delta() {},
    event: (event) => out(`${JSON.stringify(event)}\n`),
    end() {},
    fail: (_, message) => screen.say(`planfold: ${message}`, 'red'),
  };
}
