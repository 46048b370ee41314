/** As a good client: what a store on a busy machine did not take in time is sent again. */
import { pause } from "../../src/base/deadline.ts";

/** @param isRepeatable also where it may have been taken: it has an Idempotency-Key, or changes nothing the second time */
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
