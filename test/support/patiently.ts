/** Retries like a good client if a store on a busy machine did not accept a request in time. */
import { pause } from "../../src/base/time/deadline.ts";

/** @param isRepeatable also retry if it may have been applied: it has an Idempotency-Key, or is idempotent */
export async function patiently<T>(send: () => Promise<T>, isRepeatable = false): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const { kind, detail } = Object(error);
      const mayBeDone = detail?.ambiguous === true || kind === "InProgress";
      if ((kind !== "Unavailable" && kind !== "InProgress") || (mayBeDone && !isRepeatable)) throw error;
    }
    await pause(100);
  }
}
