import { InputError } from '../base/errors.ts';
import type { SessionLog, Turn } from '../log/log.ts';
import type { PromptSection } from '../log/request.ts';
import { DEFAULT_MODE } from '../log/state.ts';
import { listModes, type ModeDefinitions, type ModeInfo } from './definitions.ts';

/**
 * The mode of one session: what is in force, what is wanted, and when the one becomes the other.
 */
export interface ModeService {
  /** `default` and the definitions, for pickers. */
  list: () => ModeInfo[];
  /** The folded mode, and the intent that the next boundary applies. */
  get: () => { mode: string; pending: string | undefined };
  /**
   * Records the wish to switch; it lands at the next boundary. Throws `InputError` naming the known
   * modes for a name that is none of them.
   */
  set: (mode: string) => void;
  /** Applies what is pending and tells the model, once, when its picture has become wrong. */
  boundary: (turn: Turn) => void;
}

/** The modes of the session behind `log`. */
export function createModeService(definitions: ModeDefinitions, log: SessionLog): ModeService {
  // A flip during a turn lives here until the boundary; an idle one is in the log at once.
  let intent: string | undefined;
  const pending = () => intent ?? log.state.pendingMode;

  return {
    list: () => listModes(definitions),
    get: () => ({ mode: log.state.mode, pending: pending() }),
    set(mode) {
      const known = listModes(definitions).map((info) => info.id);
      if (!known.includes(mode)) {
        throw new InputError(`Unknown mode \`${mode}\`. Known: ${known.join(', ')}.`);
      }
      if (mode === (pending() ?? log.state.mode)) return;
      if (log.turnIsOpen) {
        // Behind an approval even a flip to the mode in force is a flip: it comes after the exit.
        intent = mode === log.state.mode && !log.state.pendingMode ? undefined : mode;
      } else {
        log.record({ type: 'mode/intent', mode });
      }
    },
    boundary(turn) {
      // An approved exit lands first and in silence; its result has told the model.
      if (turn.state.approvedCall) turn.append({ type: 'mode/set', mode: DEFAULT_MODE });
      const target = pending();
      if (target !== undefined && target !== turn.state.mode) {
        turn.append({ type: 'mode/set', mode: target });
      }
      intent = undefined;
      narrate(turn);
    },
  };
}

function narrate(turn: Turn): void {
  const { mode, toldMode } = turn.state;
  if (toldMode === undefined || toldMode === mode) return;
  const text = `The user switched this session to ${mode} mode.`;
  turn.append({ type: 'context/message', source: 'mode', text });
}

/** The section of the mode in force; a mode that the configuration no longer has is default. */
export function modeSection(definitions: ModeDefinitions): PromptSection {
  return {
    name: 'mode',
    order: 50,
    text: (state) => definitions.get(state.mode)?.section ?? '',
  };
}
