/** Submissions with an Idempotency-Key that are under way: a repeat waits for the first one's answer and does no work. */
import { LRUCache } from "lru-cache";
import { within } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";

export interface Flights {
  /**
   * Runs the work, or gives what the same submission that is under way gives, its error included.
   * @throws ServiceError Conflict (another text), InProgress (no answer in time)
   */
  run<T>(submission: FlyingSubmission, work: () => Promise<T>): Promise<T>;
}

export interface FlyingSubmission {
  readonly caller: string;
  /** Absent: nothing is repeated. */
  readonly key: string | undefined;
  readonly endpoint: string;
  readonly text: string;
}

interface Flight {
  readonly endpoint: string;
  readonly text: string;
  readonly done: Promise<unknown>;
}

const waitMs = 10_000;
/** A client that repeats itself every few milliseconds is answered from memory: nothing is read, opened or checked. */
const recent = { max: 8, ttl: 10_000, maxSize: 2 * 1024 * 1024 } as const;
const endless = new AbortController().signal;

export function createFlights(longestMs = waitMs): Flights {
  const flights = new Map<string, Flight>();
  const landed = new LRUCache<string, Flight>({
    ...recent,
    sizeCalculation: ({ text }) => text.length + 1,
  });

  async function begin<T>(name: string, { endpoint, text }: FlyingSubmission, work: () => Promise<T>) {
    const done = work();
    const flight = { endpoint, text, done };
    flights.set(name, flight);
    try {
      const answer = await done;
      landed.set(name, flight);
      return answer;
    } finally {
      flights.delete(name);
    }
  }

  return {
    async run<T>(submission: FlyingSubmission, work: () => Promise<T>): Promise<T> {
      const { caller, key, endpoint, text } = submission;
      if (key === undefined) return work();
      const name = `${caller}\n${key}`;
      const flight = flights.get(name) ?? landed.get(name);
      if (!flight) return begin(name, submission, work);
      if (flight.endpoint !== endpoint || flight.text !== text) throw otherBody();
      const late = () =>
        new ServiceError(
          "InProgress",
          "The first request with this Idempotency-Key is still under way: ask again with the same key.",
          { retryAfter: 1 },
        );
      // The same endpoint gives the same kind of answer.
      return within(flight.done as Promise<T>, longestMs, endless, late);
    },
  };
}

export function otherBody(): ServiceError {
  return new ServiceError(
    "Conflict",
    "This Idempotency-Key was used with another body or endpoint in the last 24 hours.",
  );
}
