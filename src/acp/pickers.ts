import type { SessionModeState } from '@agentclientprotocol/sdk/unstable';
import { DEFAULT_MODE } from '../log/state.ts';
import type { ModeService } from '../modes/service.ts';

/** The mode picker: what is pending counts as picked, for that is what the person chose. */
export function toModeState(modes: ModeService): SessionModeState {
  const { mode, pending } = modes.get();
  const picked = pending ?? mode;
  const availableModes = modes.list();
  // A mode that the configuration no longer has behaves as default, and shows so.
  const known = availableModes.some(({ id }) => id === picked);
  return { currentModeId: known ? picked : DEFAULT_MODE, availableModes };
}
