/** Assembles the event streams. */
import type { Log } from "../base/log.ts";
import type { Store } from "../store/port.ts";
import { createBulkStream } from "./bulk/bulk-stream.ts";
import { createBulkWatches, type ReadBulk } from "./bulk/bulk-watch.ts";
import type { LogTools } from "./cursor.ts";
import { createSieves } from "./filter.ts";
import { createEventHistory } from "./history.ts";
import { createJobStream } from "./job-stream.ts";
import { openListener, take } from "./listener.ts";
import type { LiveOutput } from "./notices.ts";
import { createPacer } from "./pacer.ts";
import type { Events, StreamEvent } from "./port.ts";
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

/** The endless stream of changes of all jobs a key may see. */
interface AllJobsTools extends LogTools {
  readonly sieves: ReturnType<typeof createSieves>;
}

function createAllJobsStream(tools: AllJobsTools): Events["ofAll"] {
  return async function* ofAll(filter, listening): AsyncGenerator<StreamEvent> {
    const { caller, signal } = listening;
    const sieve = tools.sieves(filter, caller);
    const listener = await openListener(tools, listening);
    const positionNow = () => ({ position: { log: listener.cursor.position() } });
    try {
      yield { kind: "here", ...positionNow() };
      while (!signal.aborted) {
        for await (const step of take(tools, listener, ({ batch }) => sieve(batch))) {
          listener.delivered();
          if (step.kind === "lost") yield { kind: "reset", ...positionNow() };
          else if (step.kind === "changes") yield step;
          else return yield { kind: "slow" };
        }
        if (!(await listener.wait())) continue;
        listener.delivered();
        yield { kind: "here", ...positionNow() };
      }
    } finally {
      listener.close();
    }
  };
}
