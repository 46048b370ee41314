/** Live output of the jobs of a bulk that run on this node. */

import { isFinal } from "../../api/job.ts";
import type { Caller } from "../../auth/port.ts";
import { maySeeJob } from "../../auth/reach.ts";
import type { Store } from "../../store/port.ts";
import { createLiveReader, type LiveReader } from "../live-reader.ts";
import type { LiveOutput, LivePosition } from "../notices.ts";
import type { JobChange, StreamEvent } from "../port.ts";

export interface BulkOutputTools {
  readonly store: Pick<Store, "jobs">;
  readonly live: LiveOutput;
  /** The name of this node. */
  readonly node: string;
}

interface FollowedJob {
  readonly reader: LiveReader;
  unsubscribe(): void;
}

/** Maximum number of jobs followed; above any realistic slot count. */
const maxFollowed = 1_000;

export function createBulkOutput({ store, live, node }: BulkOutputTools, ring: () => void) {
  const followed = new Map<string, FollowedJob>();
  /** Ids of followed jobs with undelivered events. */
  const ready = new Set<string>();
  const knownNodes = new Set<string>([node]);
  const newNodes: { id: string; node: string }[] = [];

  function follow(id: string, from: LivePosition | undefined): void {
    if (followed.has(id) || followed.size >= maxFollowed) return;
    const unsubscribe = live.listen(id, () => {
      ready.add(id);
      ring();
    });
    followed.set(id, { reader: createLiveReader(live, id, from), unsubscribe });
    ready.add(id);
  }

  function unfollow(id: string): void {
    followed.get(id)?.unsubscribe();
    followed.delete(id);
    ready.delete(id);
  }

  return {
    /** @param reconnects earlier output is not repeated for a listener that reconnects. */
    async begin(bulkId: string, caller: Caller, reconnects: boolean): Promise<void> {
      const running = await store.jobs.heads({ bulkId, status: "running" }, maxFollowed);
      for (const job of running) {
        const piece = live.read(job.id, undefined);
        if (piece !== undefined && maySeeJob(caller, job))
          follow(job.id, reconnects ? piece.next : undefined);
      }
    },
    update(changes: readonly JobChange[]): void {
      for (const { jobId, status, node: runsOn } of changes) {
        if (isFinal(status)) unfollow(jobId);
        if (status !== "running" || runsOn === null) continue;
        if (runsOn === node) follow(jobId, undefined);
        else if (!knownNodes.has(runsOn)) {
          knownNodes.add(runsOn);
          newNodes.push({ id: jobId, node: runsOn });
        }
      }
    },
    /** Events not delivered yet. */
    *liveEvents(): Generator<StreamEvent> {
      for (const remote of newNodes.splice(0)) yield { kind: "elsewhere", ...remote };
      for (const id of [...ready]) {
        ready.delete(id);
        const job = followed.get(id);
        if (job !== undefined) yield* job.reader.read();
      }
    },
    close(): void {
      for (const id of [...followed.keys()]) unfollow(id);
    },
  };
}
