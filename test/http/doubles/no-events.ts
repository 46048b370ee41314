/** Streams of events on which nothing happens. */
import type { Events, StreamEvent } from "../../../src/events/port.ts";

async function* nothingHappens(): AsyncGenerator<StreamEvent> {
  yield { kind: "here", position: { log: { n: 0, jobId: "" } } };
}

export const noEvents: Events = { ofAll: nothingHappens, ofBulk: nothingHappens, ofJob: nothingHappens };
