import type { SessionModeState } from '@agentclientprotocol/sdk/unstable';
import type { ModeService } from '../modes/service.ts';

/** The mode picker: what is pending counts as picked, for that is what the person chose. */
export function toModeState(modes: ModeService): SessionModeState {
  const { mode, pending } = modes.get();
  return { currentModeId: pending ?? mode, availableModes: modes.list() };
}
