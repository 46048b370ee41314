/** As a good client: what a store on a busy machine did not take in time is sent again. */
import { pause } from "../../src/base/deadline.ts";

export async function patiently<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const { kind, detail } = Object(error);
      if (kind !== "Unavailable" || detail?.ambiguous === true) throw error;
    }
    await pause(100);
  }
}
