/** Deduplicates concurrent submissions with the same Idempotency-Key: repeats wait for the first answer. */
import { LRUCache } from "lru-cache";
import { ServiceError } from "../base/errors.ts";
import { neverAborted, within } from "../base/time/deadline.ts";
import type { InFlightSubmissions, Submission } from "./port.ts";

interface InFlightSubmission {
  readonly endpoint: string;
  readonly text: string;
  readonly done: Promise<unknown>;
}

const waitMs = 10_000;
/** Recent answers in memory, for clients that repeat within milliseconds. */
const recent = { max: 8, ttl: 10_000, maxSize: 2 * 1024 * 1024 } as const;

export function createInFlightSubmissions(waitAtMostMs = waitMs): InFlightSubmissions {
  const inFlight = new Map<string, InFlightSubmission>();
  const answered = new LRUCache<string, InFlightSubmission>({
    ...recent,
    sizeCalculation: ({ text }) => text.length + 1,
  });

  async function start<T>(name: string, { endpoint, text }: Submission, work: () => Promise<T>) {
    const done = work();
    const submission = { endpoint, text, done };
    inFlight.set(name, submission);
    try {
      const answer = await done;
      answered.set(name, submission);
      return answer;
    } finally {
      inFlight.delete(name);
    }
  }

  return {
    async run<T>(submission: Submission, work: () => Promise<T>): Promise<T> {
      const { caller, key, endpoint, text } = submission;
      if (key === undefined) return work();
      const name = `${caller}\n${key}`;
      const earlier = inFlight.get(name) ?? answered.get(name);
      if (!earlier) return start(name, submission, work);
      if (earlier.endpoint !== endpoint || earlier.text !== text) throw differentBody();
      const late = () =>
        new ServiceError(
          "InProgress",
          "The first request with this Idempotency-Key is still being processed: retry with the same key.",
          { retryAfter: 1 },
        );
      // The same endpoint returns the same type of answer.
      return within(earlier.done as Promise<T>, waitAtMostMs, neverAborted, late);
    },
  };
}

export function differentBody(): ServiceError {
  const message = "This Idempotency-Key was used with another body or endpoint in the last 24 hours.";
  return new ServiceError("Conflict", message, { issues: [{ path: "Idempotency-Key", message }] });
}
