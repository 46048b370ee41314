/** Counts waiting jobs, in all and per person or key of a machine, for back-pressure. */
import { anyCaller } from "../auth/caller.ts";
import { ServiceError } from "../base/errors.ts";
import type { Backlog, BacklogLimits } from "./port.ts";

export function createBacklog(limits: BacklogLimits): Backlog {
  /**
   * May be briefly negative: a job claimed in the transaction that stored it may be reported as claimed before it is
   * reported as stored.
   */
  let counts = new Map<string, number>();
  let total = 0;

  function add(share: string, count: number): void {
    const next = (counts.get(share) ?? 0) + count;
    total += count;
    if (next === 0) counts.delete(share);
    else counts.set(share, next);
  }

  const reserved = new Map<string, number>();
  let reservedTotal = 0;

  function hold(share: string, count: number): void {
    const next = (reserved.get(share) ?? 0) + count;
    reservedTotal += count;
    if (next === 0) reserved.delete(share);
    else reserved.set(share, next);
  }

  const ofShare = (share: string) => Math.max(0, (counts.get(share) ?? 0) + (reserved.get(share) ?? 0));
  const inUse = () => Math.max(0, total + reservedTotal);

  return {
    most: Math.min(limits.maxQueued, limits.maxQueuedPerKey),
    total: inUse,
    ofShare,
    add,
    reset(counted) {
      counts = new Map(counted);
      total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    },
    reserve(share, count) {
      if (inUse() + count > limits.maxQueued) throw tooMany("The queue is full", limits.maxQueued);
      if (ofShare(share) + count > limits.maxQueuedPerKey)
        throw tooMany(`The queue of ${anyCaller} is full`, limits.maxQueuedPerKey);
      let reserved = count;
      hold(share, count);
      const shrinkTo = (remaining: number) => {
        const less = Math.max(0, reserved - remaining);
        reserved -= less;
        hold(share, -less);
      };
      return {
        shrinkTo,
        commit() {
          add(share, reserved);
          shrinkTo(0);
        },
        release: () => shrinkTo(0),
      };
    },
  };
}

function tooMany(reason: string, limit: number): ServiceError {
  return new ServiceError("TooManyRequests", `${reason}: at most ${limit} jobs may wait.`, { retryAfter: 5 });
}
