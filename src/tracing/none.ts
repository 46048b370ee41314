/** Tracing that does nothing. */
import type { Tracing } from "./port.ts";

export const noTracing: Tracing = {
  request: (_traceparent, work) => work(),
  answered() {},
  submitted() {},
  attempt: () => undefined,
  ended() {},
  counts: () => ({ sent: 0, dropped: 0 }),
  stop: async () => {},
};
