import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk/unstable';
import { DEFAULT_MODE } from '../log/state.ts';
import type { KnobOption, KnobService } from '../loop/knobs.ts';
import type { ModeService } from '../modes/service.ts';

/** The id of the option that mirrors the mode. */
export const MODE_OPTION = 'mode';

/** The mode picker: what is pending counts as picked, for that is what the person chose. */
export function toModeState(modes: ModeService): SessionModeState {
  const { mode, pending } = modes.get();
  const picked = pending ?? mode;
  const availableModes = modes.list();
  // A mode that the configuration no longer has behaves as default, and shows so.
  const known = availableModes.some(({ id }) => id === picked);
  return { currentModeId: known ? picked : DEFAULT_MODE, availableModes };
}

/**
 * Everything a person can set, in ACP's words. Editors that show options hide the mode picker, so
 * the mode comes first among them; it stays a mode.
 */
export function toConfigOptions(modes: ModeService, knobs: KnobService): SessionConfigOption[] {
  return [toModeOption(modes), ...knobs.options().map(toOption)];
}

function toModeOption(modes: ModeService): SessionConfigOption {
  const { currentModeId, availableModes } = toModeState(modes);
  return {
    type: 'select',
    id: MODE_OPTION,
    name: 'Mode',
    description: 'The stance of the agent.',
    category: 'mode',
    currentValue: currentModeId,
    options: availableModes.map(({ id, name, description }) => ({
      value: id,
      name,
      ...(description ? { description } : {}),
    })),
  };
}

function toOption(option: KnobOption): SessionConfigOption {
  const { id, name, description, category, value, values } = option;
  return {
    type: 'select',
    id,
    name,
    description,
    ...(category ? { category } : {}),
    currentValue: value,
    options: values,
  };
}
