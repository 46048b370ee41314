/** How much is queued, in all and by caller: what back-pressure and fairness go by. */
import { ServiceError } from "../base/errors.ts";

export interface Backlog {
  total(): number;
  of(caller: string): number;
  add(caller: string, count: number): void;
  /** Sets what the store counted. */
  reset(counts: ReadonlyMap<string, number>): void;
  /** @throws ServiceError TooManyRequests */
  demandRoom(caller: string, count: number): void;
}

export interface BacklogLimits {
  readonly maxQueued: number;
  readonly maxQueuedPerKey: number;
}

export function createBacklog(limits: BacklogLimits): Backlog {
  let counts = new Map<string, number>();
  let total = 0;

  return {
    total: () => total,
    of: (caller) => counts.get(caller) ?? 0,
    add(caller, count) {
      const next = Math.max(0, (counts.get(caller) ?? 0) + count);
      total = Math.max(0, total + count);
      if (next === 0) counts.delete(caller);
      else counts.set(caller, next);
    },
    reset(counted) {
      counts = new Map(counted);
      total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    },
    demandRoom(caller, count) {
      if (total + count > limits.maxQueued) throw tooMany("The queue is full", limits.maxQueued);
      if ((counts.get(caller) ?? 0) + count > limits.maxQueuedPerKey)
        throw tooMany("The queue of this API key is full", limits.maxQueuedPerKey);
    },
  };
}

function tooMany(what: string, limit: number): ServiceError {
  return new ServiceError("TooManyRequests", `${what}: at most ${limit} jobs may wait.`, { retryAfter: 5 });
}
