/** Counts waiting jobs, in all and per caller, for back-pressure. */
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

  function add(caller: string, count: number): void {
    const next = (counts.get(caller) ?? 0) + count;
    total += count;
    if (next === 0) counts.delete(caller);
    else counts.set(caller, next);
  }

  const reserved = new Map<string, number>();
  let reservedTotal = 0;

  function hold(caller: string, count: number): void {
    const next = (reserved.get(caller) ?? 0) + count;
    reservedTotal += count;
    if (next === 0) reserved.delete(caller);
    else reserved.set(caller, next);
  }

  /** Keys of persons that have submitted to this node: their jobs count together. */
  const keysOf = new Map<string, Set<string>>();

  /** What a person's keys hold; keys without jobs are forgotten. */
  function ofPerson(person: string, caller: string): number {
    const keys = keysOf.get(person) ?? new Set();
    for (const key of keys) if (ofCaller(key) === 0) keys.delete(key);
    keysOf.set(person, keys.add(caller));
    return [...keys].reduce((sum, key) => sum + ofCaller(key), 0);
  }

  const ofCaller = (caller: string) => Math.max(0, (counts.get(caller) ?? 0) + (reserved.get(caller) ?? 0));
  const inUse = () => Math.max(0, total + reservedTotal);

  return {
    most: Math.min(limits.maxQueued, limits.maxQueuedPerKey),
    total: inUse,
    ofCaller,
    add,
    reset(counted) {
      counts = new Map(counted);
      total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    },
    reserve(caller, count, person) {
      if (inUse() + count > limits.maxQueued) throw tooMany("The queue is full", limits.maxQueued);
      const held = person === undefined ? ofCaller(caller) : ofPerson(person, caller);
      if (held + count > limits.maxQueuedPerKey)
        throw tooMany(`The queue of ${anyCaller} is full`, limits.maxQueuedPerKey);
      let reserved = count;
      hold(caller, count);
      const shrinkTo = (remaining: number) => {
        const less = Math.max(0, reserved - remaining);
        reserved -= less;
        hold(caller, -less);
      };
      return {
        shrinkTo,
        commit() {
          add(caller, reserved);
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
