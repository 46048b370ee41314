/** Time budget of a request for all its store calls: each call may be in time and their sum still too long. */

import { ServiceError } from "../errors.ts";
import { neverAborted, within } from "./deadline.ts";

export interface TimeBudget {
  /**
   * Waits for the store within the remaining budget; the call itself keeps running.
   * @param extraMs added for calls that take longer.
   * @throws ServiceError Unavailable
   */
  wait<T>(answer: Promise<T>, extraMs?: number): Promise<T>;
}

export const storeBudgetMs = {
  /** With an unreachable server, callers get an error within 3 seconds. */
  server: 2_200,
  /**
   * A local file is always reachable: a long wait means that this machine is busy, and a refusal would only cause a
   * retry.
   */
  file: 10_000,
} as const;
/** Minimum for each call, even if the budget is used up: our own work may have used it. */
const leastMs = 300;

/** @param longestMs budget for all calls together. */
export function createTimeBudget(maxMs: number = storeBudgetMs.server): TimeBudget {
  let leftMs = maxMs;
  return {
    async wait(answer, extraMs = 0) {
      const since = performance.now();
      try {
        return await within(answer, Math.max(leastMs, leftMs) + extraMs, neverAborted, late);
      } finally {
        leftMs -= performance.now() - since;
      }
    },
  };
}

/** The request may have taken effect. */
function late(): ServiceError {
  return new ServiceError("Unavailable", "The store did not answer in time.", {
    retryAfter: 2,
    fault: "ambiguous",
    ambiguous: true,
  });
}
