/** Assembles the event streams. */
import type { Log } from "../base/log.ts";
import type { Store } from "../store/port.ts";
import { createAllJobsStream } from "./all-jobs-stream.ts";
import { createBulkStream } from "./bulk-stream.ts";
import { createBulkWatches, type ReadBulk } from "./bulk-watch.ts";
import { createSieves } from "./filter.ts";
import { createEventHistory } from "./history.ts";
import { createJobStream } from "./job-stream.ts";
import type { LiveOutput } from "./notices.ts";
import { createPacer } from "./pacer.ts";
import type { Events } from "./port.ts";
import { createTail } from "./tail.ts";

export interface EventsOptions {
  readonly store: Pick<Store, "events" | "jobs" | "shared">;
  readonly live: LiveOutput;
  readonly log: Log;
  /** The name of this node. */
  readonly node: string;
  readBulk: ReadBulk;
  /** Whether jobs are waiting or running here, which have priority. */
  busy(): boolean;
}

export function createEvents({ store, live, log, node, readBulk, busy }: EventsOptions): Events {
  const pacer = createPacer(busy);
  const tail = createTail({ store, log, waiting: pacer.waiting });
  const past = createEventHistory(store);
  const sieves = createSieves();
  const tools = { store, live, node, tail, past, pacer, sieves };
  return {
    ofAll: createAllJobsStream(tools),
    ofBulk: createBulkStream({ ...tools, watchBulk: createBulkWatches(readBulk, log) }),
    ofJob: createJobStream(tools),
  };
}
