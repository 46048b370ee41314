/** The stream of a job until its end: state, changes, live output. */

import { isFinal } from "../api/jobs/job.ts";
import { maySeeJob } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import type { JobNow, Store } from "../store/port.ts";
import type { LogTools } from "./cursor.ts";
import { openListener, take } from "./listener.ts";
import { createLiveReader } from "./live-reader.ts";
import type { LiveOutput } from "./notices.ts";
import type { Events, JobChange, StreamEvent, StreamPosition } from "./port.ts";

export interface JobTools extends LogTools {
  readonly store: Pick<Store, "events">;
  readonly live: LiveOutput;
  /** The name of this node. */
  readonly node: string;
}

export function createJobStream(tools: JobTools): Events["ofJob"] {
  const { store, live, tail } = tools;

  return async function* ofJob(id, listening): AsyncGenerator<StreamEvent> {
    const { caller, from, signal } = listening;
    const state = await store.events.ofJob(id);
    if (state === undefined || !maySeeJob(caller, state.job))
      throw new ServiceError("NotFound", "There is no job with that id.");
    const listener = await openListener(tools, {
      ...listening,
      from: from ?? { log: state.last },
    });
    const unsubscribe = live.listen(id, listener.bell.ring);
    const reader = createLiveReader(live, id, from?.output);
    /** The current state, sent first unless the listener reconnects. */
    let job: JobNow = state.job;
    /** The last attempt that was reported as running on another node. */
    let remoteAttempt = 0;
    const position = (): StreamPosition => ({ log: listener.cursor.position(), output: reader.position() });

    /** Live events of an attempt come after its start event. */
    function* liveEvents(): Generator<StreamEvent> {
      if (job.status !== "running") return;
      for (const event of reader.read(job.attempt))
        yield event.kind === "output" ? { ...event, position: position() } : event;
    }

    function* remoteNode(): Generator<StreamEvent> {
      const { status, node, attempt } = job;
      if (status !== "running" || node === null || node === tools.node || remoteAttempt === attempt) return;
      remoteAttempt = attempt;
      yield { kind: "elsewhere", id, node };
    }

    /** Starts over after entries were lost. */
    async function* restart(): AsyncGenerator<StreamEvent> {
      const now = await store.events.ofJob(id);
      yield { kind: "reset", position: position() };
      if (now === undefined) return;
      job = now.job;
      listener.moveTo(now.last);
      yield { kind: "state", job, position: position() };
    }

    function* deliver(changes: readonly JobChange[]): Generator<StreamEvent> {
      const last = changes.at(-1);
      if (last === undefined) return;
      if (isFinal(last.status)) yield* liveEvents();
      job = last;
      yield { kind: "changes", changes };
    }

    try {
      if (from === undefined) yield { kind: "state", job, position: position() };
      else {
        if (tail.last().n < state.last.n) await tail.refresh();
        if (!isFinal(job.status)) yield { kind: "here", position: position() };
      }
      while (!signal.aborted) {
        for await (const step of take(tools, listener, ({ batch }) => batch.ofJob(id))) {
          listener.delivered();
          if (step.kind === "slow") return yield { kind: "slow" };
          if (step.kind === "changes") yield* deliver(step.changes);
          else yield* restart();
        }
        if (isFinal(job.status)) return;
        yield* remoteNode();
        yield* liveEvents();
        if (!(await listener.wait())) continue;
        listener.delivered();
        yield { kind: "here", position: position() };
      }
    } finally {
      unsubscribe();
      listener.close();
    }
  };
}
