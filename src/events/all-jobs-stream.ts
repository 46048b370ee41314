/** The endless stream of changes of all jobs a key may see. */
import type { LogTools } from "./cursor.ts";
import type { createSieves } from "./filter.ts";
import { openListener, take } from "./listener.ts";
import type { Events, StreamEvent } from "./port.ts";

export interface AllJobsTools extends LogTools {
  readonly sieves: ReturnType<typeof createSieves>;
}

export function createAllJobsStream(tools: AllJobsTools): Events["ofAll"] {
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
