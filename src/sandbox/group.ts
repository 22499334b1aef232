/** The leaders of all process groups that run right now. */
const liveGroups = new Set<number>();

/** Notes the leader of a group that was started, so that nothing can outlive this process. */
export function watchGroup(pid: number): void {
  liveGroups.add(pid);
}

/** Ends what is left of a group whose leader has gone. */
export function endGroup(pid: number): void {
  signalGroup(pid, 'SIGKILL');
  liveGroups.delete(pid);
}

/** Ends every group of this process at once and synchronously: for the way out of the process. */
export function endAllGroups(): void {
  for (const pid of liveGroups) signalGroup(pid, 'SIGKILL');
}

/** Sends a signal to all of a group. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: the group is gone, which is what was wanted. EPERM: what is left of it belongs to
    // somebody else (`sudo`), and there is nothing more that could be done.
  }
}
