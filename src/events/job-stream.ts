/** The stream of a job until its end: state, changes, live output. */
import { maySeeJob } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { isFinal } from "../model/job.ts";
import type { LiveOutput, LivePosition, Progress } from "../queue/port.ts";
import type { JobNow, Store } from "../store/port.ts";
import type { LogTools } from "./cursor.ts";
import { openListener, take } from "./listener.ts";
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
    const look = await store.events.ofJob(id);
    if (look === undefined || !maySeeJob(caller, look.job))
      throw new ServiceError("NotFound", "There is no job with that id.");
    const listener = await openListener(tools, {
      ...listening,
      from: from ?? { log: look.last },
    });
    const stopHearing = live.listen(id, listener.bell.ring);
    /** The current state, sent first unless the listener reconnects. */
    let job: JobNow = look.job;
    let heard: LivePosition | undefined = from?.output;
    let progress: Progress | undefined;
    let elsewhereOf = 0;
    const position = (): StreamPosition => ({ log: listener.cursor.position(), output: heard });

    /** New output; output of an attempt comes after its start event. */
    function* spoken(): Generator<StreamEvent> {
      const piece = live.read(id, heard);
      if (job.status !== "running" || piece?.next.attempt !== job.attempt) return;
      heard = piece.next;
      if (piece.text !== "" || piece.missed > 0)
        yield { kind: "output", id, text: piece.text, missed: piece.missed, position: position() };
      const now = live.progressOf(id);
      if (now === undefined || now === progress) return;
      progress = now;
      yield { kind: "progress", id, ...now };
    }

    function* place(): Generator<StreamEvent> {
      const { status, node, attempt } = job;
      if (status !== "running" || node === null || node === tools.node || elsewhereOf === attempt) return;
      elsewhereOf = attempt;
      yield { kind: "elsewhere", id, node };
    }

    async function* anew(): AsyncGenerator<StreamEvent> {
      const now = await store.events.ofJob(id);
      yield { kind: "reset", position: position() };
      if (now === undefined) return;
      job = now.job;
      listener.moveTo(now.last);
      yield { kind: "state", job, position: position() };
    }

    function* told(changes: readonly JobChange[]): Generator<StreamEvent> {
      const last = changes.at(-1);
      if (last === undefined) return;
      if (isFinal(last.status)) yield* spoken();
      job = last;
      yield { kind: "changes", changes };
    }

    try {
      if (from === undefined) yield { kind: "state", job, position: position() };
      else {
        if (tail.last().n < look.last.n) await tail.refresh();
        if (!isFinal(job.status)) yield { kind: "here", position: position() };
      }
      while (!signal.aborted) {
        for await (const taken of take(tools, listener, ({ batch }) => batch.ofJob(id))) {
          listener.told();
          if (taken.kind === "slow") return yield { kind: "slow" };
          if (taken.kind === "changes") yield* told(taken.changes);
          else yield* anew();
        }
        if (isFinal(job.status)) return;
        yield* place();
        yield* spoken();
        if (!(await listener.wait())) continue;
        listener.told();
        yield { kind: "here", position: position() };
      }
    } finally {
      stopHearing();
      listener.close();
    }
  };
}
