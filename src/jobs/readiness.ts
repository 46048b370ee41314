/** Whether the service can take work, and why not. */
import { ServiceError } from "../base/errors.ts";
import type { Store } from "../store/port.ts";

export interface ReadinessTools {
  readonly store: Pick<Store, "full" | "probe">;
  /** Why nothing is taken: the service is stopping, or this node holds no lease in the store. */
  notReady(): readonly string[];
}

export function createReadiness({ store, notReady }: ReadinessTools) {
  /** A store that answers reads may still hang on every write: so this one writes. */
  return async (): Promise<{ ready: boolean; reasons: string[] }> => {
    const reasons = [...notReady()];
    if (store.full()) reasons.push("storage full");
    else {
      try {
        await store.probe();
      } catch (error) {
        reasons.push(error instanceof ServiceError ? error.message : "the store failed");
      }
    }
    return { ready: reasons.length === 0, reasons };
  };
}

/** @throws ServiceError Unavailable */
export function requireReady({ notReady }: Pick<ReadinessTools, "notReady">): void {
  const [reason] = notReady();
  if (reason !== undefined)
    throw new ServiceError("Unavailable", `Nothing is taken now: ${reason}.`, { retryAfter: 5 });
}
