/** Polls all jobs: once a job has ended, its state must never change. */
import * as v from "valibot";
import { pause } from "../../src/base/time/deadline.ts";
import { apiKey, type ChaosNode } from "./node.ts";

const record = v.object({
  id: v.string(),
  status: v.picklist(["queued", "running", "finished", "failed", "cancelled"]),
  attempt: v.number(),
  worker: v.nullable(v.string()),
  started_at: v.nullable(v.string()),
  ended_at: v.nullable(v.string()),
  result: v.nullable(
    v.object({
      type: v.string(),
      retval: v.nullable(v.record(v.string(), v.unknown())),
      error: v.nullable(
        v.looseObject({ type: v.string(), message: v.string(), outcome: v.optional(v.string()) }),
      ),
    }),
  ),
});
const page = v.object({ data: v.array(record) });
export type SeenJob = v.InferOutput<typeof record>;

export interface Watch {
  /** State as of the last poll. */
  readonly jobs: ReadonlyMap<string, SeenJob>;
  /** Jobs that were final and changed afterwards. */
  readonly changes: readonly string[];
  /** Polls once, from any node that answers; returns false if none does. */
  look(): Promise<boolean>;
  /** Leaves out, until the next poll, jobs that may not be there any more. */
  forget(): void;
  stop(): Promise<void>;
}

const everyMs = 1_000;
const patienceMs = 10_000;

export function startWatch(nodes: readonly ChaosNode[]): Watch {
  const jobs = new Map<string, SeenJob>();
  const ends = new Map<string, string>();
  const changes: string[] = [];
  let turn = 0;
  let stopped = false;
  let last: Promise<boolean> = Promise.resolve(true);

  async function read(node: ChaosNode): Promise<SeenJob[] | undefined> {
    try {
      const response = await fetch(`${node.url}/job`, {
        headers: { "X-API-KEY": apiKey },
        signal: AbortSignal.timeout(patienceMs),
      });
      return response.ok ? v.parse(page, await response.json()).data : undefined;
    } catch (error) {
      // A node that is down, frozen, or was killed while answering.
      if (error instanceof v.ValiError) throw error;
      return undefined;
    }
  }

  function note(seen: readonly SeenJob[]): void {
    for (const job of seen) {
      jobs.set(job.id, job);
      const before = ends.get(job.id);
      const now = JSON.stringify(job);
      if (before !== undefined && before !== now) changes.push(`${before} became ${now}`);
      else if (isOver(job)) ends.set(job.id, now);
    }
  }

  async function lookOnce(): Promise<boolean> {
    for (let tries = 0; tries < nodes.length; tries++) {
      const node = nodes[turn++ % nodes.length];
      const seen = node?.running() ? await read(node) : undefined;
      if (!seen) continue;
      note(seen);
      return true;
    }
    return false;
  }

  /** One poll at a time: an older result arriving later would look like a change. */
  function look(): Promise<boolean> {
    const next = last.then(lookOnce);
    last = next.catch(() => false);
    return next;
  }

  async function run(): Promise<void> {
    while (!stopped) {
      await look();
      await pause(everyMs);
    }
  }
  const running = run();
  return {
    jobs,
    changes,
    look,
    forget: () => jobs.clear(),
    async stop() {
      stopped = true;
      await running;
    },
  };
}

export function isOver(job: SeenJob): boolean {
  return job.status !== "queued" && job.status !== "running";
}
