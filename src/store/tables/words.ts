/** Words that columns are limited to and the port speaks of; the others are in src/api. */

export const stopReasons = ["cancel", "worker"] as const;

export const deliveryStates = ["waiting", "pending", "delivered", "failed", "skipped"] as const;

/** `schedule.fired`: a firing ended without a bulk; `schedule.stopped`: its key is gone. */
export const noticeKinds = [
  "bulk.ended",
  "schedule.fired",
  "schedule.stopped",
  "disk.low",
  "webhook.test",
] as const;
