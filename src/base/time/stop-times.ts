/** How long the stop of a task may take, step by step. Each step has room for the one before it. */

export const stopTimes = {
  /** Graceful close of a session: a logout, a goodbye. */
  closeMs: 4_000,
  /** A driver's clean-up on its device, such as ending the processes that it started there. */
  cleanupMs: 10_000,
  /** The task ends without its driver, whose sessions are closed. */
  abandonMs: 12_000,
  /** A thread that answers nothing for so long does not run, and is replaced with all of its tasks. */
  turnMs: 15_000,
  /** Extra time of a task with checks, to confirm or roll back. */
  undoMs: 60_000,
} as const;
