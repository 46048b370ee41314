/** What becomes of one job, as it happens: its states and what its device says. */

import type { Caller } from "../auth/port.ts";
import { maySeeJob } from "../auth/reach.ts";
import { onAbort } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import { isFinal, type JobStatus } from "../model/job.ts";
import type { JobEvents, LivePosition, Progress } from "../queue/port.ts";
import type { Store } from "../store/port.ts";
import type { JobEvent } from "./port.ts";

export interface WatchTools {
  readonly store: Pick<Store, "jobs" | "shared">;
  readonly jobEvents: JobEvents;
}

/** Another node says nothing of what it does: its jobs are looked at this often. */
const sharedPollMs = 1_000;

export function createWatch({ store, jobEvents }: WatchTools) {
  const { live } = jobEvents;
  async function statusFor(id: string, caller: Caller): Promise<JobStatus> {
    const job = await store.jobs.find(id);
    if (job && maySeeJob(caller, job)) return job.status;
    throw new ServiceError("NotFound", "There is no job with that id.");
  }

  /** Resolves when something may have happened; listens from the moment it is called. */
  function news(id: string, signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const poll = store.shared ? setTimeout(resolve, sharedPollMs) : undefined;
    const stops = [jobEvents.onEnd(id, resolve), live.listen(id, resolve), onAbort(signal, () => resolve())];
    return {
      promise,
      stop() {
        clearTimeout(poll);
        for (const stop of stops) stop();
      },
    };
  }

  return {
    async *watch(
      id: string,
      caller: Caller,
      after: LivePosition | undefined,
      signal: AbortSignal,
    ): AsyncGenerator<JobEvent> {
      let position = after;
      let shownStatus: JobStatus | undefined;
      let status = await statusFor(id, caller);
      let shownProgress: Progress | undefined;
      while (!signal.aborted) {
        const next = news(id, signal);
        try {
          const piece = live.read(id, position);
          // While it runs here nobody needs to look into the store.
          if (piece === undefined) status = (await store.jobs.statusesOf([id])).get(id) ?? status;
          else status = "running";
          if (status !== shownStatus) {
            shownStatus = status;
            yield { kind: "state", status, position };
          }
          if (isFinal(status)) return;
          if (piece !== undefined && (piece.text !== "" || piece.missed > 0)) {
            position = piece.next;
            yield { kind: "output", text: piece.text, missed: piece.missed, position };
          }
          const progress = live.progressOf(id);
          if (progress !== undefined && progress !== shownProgress) {
            shownProgress = progress;
            yield { kind: "progress", ...progress, position };
          }
          await next.promise;
        } finally {
          next.stop();
        }
      }
    },
  };
}
