// Loaded before the agent (`node --import`): the half second after which a command that does not
// listen is ended by force becomes an hour, so that nothing depends on who is quicker.
const FORCE_MS = 500;
const HOUR_MS = 3_600_000;

const { setTimeout } = globalThis;
globalThis.setTimeout = Object.assign(
  (work, ms, ...rest) => setTimeout(work, ms === FORCE_MS ? HOUR_MS : ms, ...rest),
  setTimeout,
);
