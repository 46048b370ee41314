/** What becomes of one job, as it happens: its states and what its device says. */
import type { Caller } from "../auth/caller.ts";
import { maySeeJob } from "../auth/reach.ts";
import { onAbort } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import { isFinal, type JobStatus } from "../model/job.ts";
import type { JobEvents } from "../queue/job-events.ts";
import type { LiveOutput, LivePosition } from "../queue/live-output.ts";
import type { Store } from "../store/port.ts";
import type { JobEvent } from "./port.ts";

export interface WatchTools {
  readonly store: Pick<Store, "jobs" | "shared">;
  readonly ends: JobEvents;
  readonly live: LiveOutput;
}

/** Another node says nothing of what it does: its jobs are looked at this often. */
const sharedPollMs = 1_000;
/** The least time between two looks: what comes in between is told together. */
const lookMs = 100;

export function createWatch({ store, ends, live }: WatchTools) {
  async function statusFor(id: string, caller: Caller): Promise<JobStatus> {
    const job = await store.jobs.find(id);
    if (job && maySeeJob(caller, job)) return job.status;
    throw new ServiceError("NotFound", "There is no job with that id.");
  }

  /** Ends with the final status; resumes behind `after`. @throws ServiceError NotFound */
  async function* watch(
    id: string,
    caller: Caller,
    after: LivePosition | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<JobEvent> {
    let position = after;
    let told: JobStatus | undefined;
    let status = await statusFor(id, caller);
    while (!signal.aborted) {
      const news = Promise.withResolvers<void>();
      const stops = [
        ends.listen(id, news.resolve),
        live.listen(id, news.resolve),
        onAbort(signal, () => news.resolve()),
      ];
      const poll = store.shared ? setTimeout(news.resolve, sharedPollMs) : undefined;
      try {
        const piece = live.read(id, position);
        if (piece !== undefined && (piece.text !== "" || piece.missed > 0)) {
          if (told !== "running") yield { kind: "state", status: (told = "running"), position };
          position = piece.next;
          yield { kind: "output", text: piece.text, missed: piece.missed, position };
        }
        status = (await store.jobs.statusesOf([id])).get(id) ?? status;
        if (status !== told) yield { kind: "state", status: (told = status), position };
        if (isFinal(status)) return;
        await news.promise;
      } finally {
        clearTimeout(poll);
        for (const stop of stops) stop();
      }
    }
  }

  return { watch };
}
