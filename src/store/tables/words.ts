/** Words that columns are limited to and the port speaks of; the others are in src/api. */

export const stopReasons = ["cancel", "worker"] as const;

export const deliveryStates = ["waiting", "pending", "delivered", "failed", "skipped"] as const;

/** `schedule.fired`: a firing ended without a bulk; `schedule.stopped`: its key is gone; `change.moved`: an event of a change. */
export const singleNoticeKinds = [
  "bulk.ended",
  "schedule.fired",
  "schedule.stopped",
  "disk.low",
  "ledger.checkpoint",
  "break_glass.used",
  "change.moved",
  "recipe.proposed",
  "webhook.test",
] as const;
/** Many of them may come at once. The subject is the number of a version or, of `history.failed`, of a device. */
export const historyNoticeKinds = ["history.changed", "history.suspect", "history.failed"] as const;
/** Likewise. The subject is the name of a device in lower case, the detail an intent. */
export const driftNoticeKinds = ["drift.found", "drift.gone", "drift.unknown", "drift.needs_person"] as const;
export const noticeKinds = [...singleNoticeKinds, ...historyNoticeKinds, ...driftNoticeKinds] as const;

/** How a device and an intent are told to webhooks. */
export const toldDrift = ["compliant", "drifted", "unknown"] as const;
