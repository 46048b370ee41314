/** A limit in all with a share for each API key: requests under way, running lists, bytes held. */
import { ServiceError } from "../base/errors.ts";

export interface QuotaLimits {
  readonly inAll: number;
  readonly perKey: number;
}

export interface Quota {
  /** @returns gives it back, once. @throws ServiceError TooManyRequests */
  take(key: string, count?: number): () => void;
  /** Counts what is there already, above the limit if need be: what comes next is refused. @returns gives it back. */
  hold(key: string, count: number): () => void;
  /**
   * Counts what can be made again: refused where half of the key's share is used and it does not fit, so that one of
   * any size always passes alone. @returns gives it back. @throws ServiceError TooManyRequests
   */
  holdIfRoom(key: string, count: number): () => void;
  held(): number;
}

/** @param what is limited, in the words of an answer: `requests under way`. */
export function createQuota(what: string, { inAll, perKey }: QuotaLimits): Quota {
  const byKey = new Map<string, number>();
  let total = 0;

  function add(key: string, count: number): void {
    const next = (byKey.get(key) ?? 0) + count;
    total += count;
    if (next <= 0) byKey.delete(key);
    else byKey.set(key, next);
  }

  function hold(key: string, count: number): () => void {
    add(key, count);
    let held = count;
    return () => {
      add(key, -held);
      held = 0;
    };
  }

  return {
    take(key, count = 1) {
      if ((byKey.get(key) ?? 0) + count > perKey)
        throw tooMany(`This API key has too many ${what}: at most ${perKey}.`);
      if (total + count > inAll) throw tooMany(`The service has too many ${what}: at most ${inAll}.`);
      return hold(key, count);
    },
    hold,
    holdIfRoom(key, count) {
      const used = byKey.get(key) ?? 0;
      if (used > perKey / 2 && used + count > perKey)
        throw tooMany(`This API key has too many ${what}: at most ${perKey}.`);
      return hold(key, count);
    },
    held: () => total,
  };
}

function tooMany(message: string): ServiceError {
  return new ServiceError("TooManyRequests", message, { retryAfter: 1 });
}
