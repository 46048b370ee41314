/** Assembles the event streams. */
import type { Log } from "../base/log.ts";
import type { LiveOutput } from "../queue/port.ts";
import type { Store } from "../store/port.ts";
import { createBulkWatches, type ReadBulk } from "./bulk-watch.ts";
import { createSieves } from "./filter.ts";
import { createOfAll } from "./of-all.ts";
import { createOfBulk } from "./of-bulk.ts";
import { createOfJob } from "./of-job.ts";
import { createPacer } from "./pacer.ts";
import { createPast } from "./past.ts";
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
  const past = createPast(store);
  const sieves = createSieves();
  const tools = { store, live, node, tail, past, pacer, sieves };
  return {
    ofAll: createOfAll(tools),
    ofBulk: createOfBulk({ ...tools, watchBulk: createBulkWatches(readBulk, log) }),
    ofJob: createOfJob(tools),
  };
}
