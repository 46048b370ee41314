/** Live output of the jobs of a bulk that run on this node. */
import type { Caller } from "../auth/port.ts";
import { maySeeJob } from "../auth/reach.ts";
import { isFinal } from "../model/job.ts";
import type { LiveOutput, LivePosition, Progress } from "../queue/port.ts";
import type { Store } from "../store/port.ts";
import type { JobChange, StreamEvent } from "./port.ts";

export interface BulkOutputTools {
  readonly store: Pick<Store, "jobs">;
  readonly live: LiveOutput;
  /** The name of this node. */
  readonly node: string;
}

interface Heard {
  at: LivePosition | undefined;
  progress?: Progress;
  stop(): void;
}

/** Maximum number of jobs followed; above any realistic slot count. */
const maxHeard = 1_000;

export function createBulkOutput({ store, live, node }: BulkOutputTools, ring: () => void) {
  const heard = new Map<string, Heard>();
  const speaking = new Set<string>();
  const nodes = new Set<string>([node]);
  const elsewhere: { id: string; node: string }[] = [];

  function hear(id: string, at: LivePosition | undefined): void {
    if (heard.has(id) || heard.size >= maxHeard) return;
    const stop = live.listen(id, () => {
      speaking.add(id);
      ring();
    });
    heard.set(id, { at, stop });
    speaking.add(id);
  }

  function forget(id: string): void {
    heard.get(id)?.stop();
    heard.delete(id);
    speaking.delete(id);
  }

  return {
    /** @param back true for a listener that reconnects: earlier output is not repeated. */
    async begin(bulkId: string, caller: Caller, back: boolean): Promise<void> {
      const running = await store.jobs.heads({ bulkId, status: "running" }, maxHeard);
      for (const job of running) {
        const piece = live.read(job.id, undefined);
        if (piece !== undefined && maySeeJob(caller, job)) hear(job.id, back ? piece.next : undefined);
      }
    },
    note(changes: readonly JobChange[]): void {
      for (const { jobId, status, node: runsOn } of changes) {
        if (isFinal(status)) forget(jobId);
        if (status !== "running" || runsOn === null) continue;
        if (runsOn === node) hear(jobId, undefined);
        else if (!nodes.has(runsOn)) {
          nodes.add(runsOn);
          elsewhere.push({ id: jobId, node: runsOn });
        }
      }
    },
    /** Output not delivered yet. */
    *spoken(): Generator<StreamEvent> {
      for (const place of elsewhere.splice(0)) yield { kind: "elsewhere", ...place };
      for (const id of [...speaking]) {
        speaking.delete(id);
        const job = heard.get(id);
        const piece = job && live.read(id, job.at);
        if (job === undefined || piece === undefined) continue;
        job.at = piece.next;
        if (piece.text !== "" || piece.missed > 0)
          yield { kind: "output", id, text: piece.text, missed: piece.missed };
        const progress = live.progressOf(id);
        if (progress !== undefined && progress !== job.progress) {
          job.progress = progress;
          yield { kind: "progress", id, ...progress };
        }
      }
    },
    close(): void {
      for (const id of [...heard.keys()]) forget(id);
    },
  };
}
