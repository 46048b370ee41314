/** Receivers whose last attempt failed: they rest between attempts, and leave half of the places of a key to others. */
import { createBoundedCache } from "../base/share/bounded-cache.ts";
import { ownerChars } from "../store/port.ts";

export interface FailingReceivers {
  /** @param tookMs duration of the attempt */
  failed(receiver: string, tookMs: number): void;
  answered(receiver: string): void;
  /**
   * Receivers that are not served now: resting, or of a key of which as many failing ones are served as may be.
   * @param served at this moment
   */
  setAside(served: Iterable<string>): string[];
  /** Milliseconds until the first rest ends; undefined: none rests. */
  nextMs(): number | undefined;
}

export interface FailingLimits {
  /** Failing receivers of a key that are served concurrently. */
  readonly ofKey: number;
  /** A receiver rests as long as its failed attempt took, within these limits. */
  readonly leastMs: number;
  readonly mostMs: number;
  /** Those forgotten are tried as if they were new. */
  readonly known: number;
}

export const failingLimits: FailingLimits = { ofKey: 16, leastMs: 50, mostMs: 30_000, known: 2_048 };

/** @param now milliseconds of a clock that is never set back */
export function createFailingReceivers(
  now: () => number,
  { ofKey, leastMs, mostMs, known }: FailingLimits = failingLimits,
): FailingReceivers {
  const restUntil = createBoundedCache<number>(known);
  const restMs = (receiver: string) => (restUntil.peek(receiver) ?? 0) - now();

  return {
    failed: (receiver, tookMs) =>
      void restUntil.set(receiver, now() + Math.min(mostMs, Math.max(leastMs, tookMs))),
    answered: (receiver) => void restUntil.delete(receiver),
    setAside(served) {
      const ofOwner = new Map<string, number>();
      for (const receiver of served) {
        if (!restUntil.has(receiver)) continue;
        const owner = receiver.slice(0, ownerChars);
        ofOwner.set(owner, (ofOwner.get(owner) ?? 0) + 1);
      }
      const isFull = (receiver: string) => (ofOwner.get(receiver.slice(0, ownerChars)) ?? 0) >= ofKey;
      return [...restUntil.keys()].filter((receiver) => restMs(receiver) > 0 || isFull(receiver));
    },
    nextMs() {
      const rests = [...restUntil.keys()].map(restMs).filter((ms) => ms > 0);
      return rests.length === 0 ? undefined : Math.min(...rests);
    },
  };
}
