/** How long one request waits for the store, with everything that it asks of it: each answer in time can still be too late in sum. */
import { neverAborted, within } from "./deadline.ts";
import { ServiceError } from "./errors.ts";

export interface Patience {
  /**
   * Gives the answer of the store while there is patience left; the question itself goes on.
   * @param extraMs for what takes more than a moment.
   * @throws ServiceError Unavailable
   */
  wait<T>(answer: Promise<T>, extraMs?: number): Promise<T>;
}

export const patienceMs = {
  /** Whoever asks a server that is away is told within 3 seconds. */
  server: 2_200,
  /** A file is there: what takes long is the work of this machine, and a refusal would only bring the request again. */
  file: 10_000,
} as const;
/** The last question gets so much, whatever was waited before: our own work may have been what took so long. */
const leastMs = 300;

/** @param longestMs for all questions together. */
export function createPatience(longestMs: number = patienceMs.server): Patience {
  let leftMs = longestMs;
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

/** What was asked may have been done. */
function late(): ServiceError {
  return new ServiceError("Unavailable", "The store did not answer in time.", {
    retryAfter: 2,
    fault: "ambiguous",
    ambiguous: true,
  });
}
