/** Recent live output of the jobs on this node. */
import type { LiveStatus } from "../api/jobs/live-event.ts";
import type { LiveOutput } from "./notices.ts";

export interface LiveLimits {
  readonly perJob: number;
  readonly inAll: number;
}

interface Kept {
  readonly attempt: number;
  /** Position of the first kept character. */
  start: number;
  text: string;
  /** The last event of each kind. */
  readonly statuses: Map<LiveStatus["kind"], LiveStatus>;
}

const ordinaryLimits: LiveLimits = { perJob: 128 * 1024, inAll: 16 * 1024 * 1024 };

export function createLiveOutput({ perJob, inAll }: LiveLimits = ordinaryLimits): LiveOutput {
  /** In order of the latest output. */
  const outputs = new Map<string, Kept>();
  const listeners = new Map<string, Set<() => void>>();
  let total = 0;

  function notify(id: string): void {
    for (const listener of listeners.get(id) ?? []) listener();
  }

  function forget(job: Kept, chars: number): void {
    job.text = job.text.slice(chars);
    job.start += chars;
    total -= chars;
  }

  function drop(id: string): void {
    const job = outputs.get(id);
    if (job) total -= job.text.length;
    outputs.delete(id);
  }

  return {
    begin(id, attempt) {
      drop(id);
      outputs.set(id, { attempt, start: 0, text: "", statuses: new Map() });
      notify(id);
    },
    add(id, event) {
      const job = outputs.get(id);
      if (!job) return;
      if (event.kind !== "output") {
        job.statuses.set(event.kind, event);
        return notify(id);
      }
      const { text } = event;
      outputs.delete(id);
      outputs.set(id, job);
      job.text += text;
      total += text.length;
      if (job.text.length > perJob) forget(job, job.text.length - perJob);
      // Evicts the job that has been silent longest.
      for (const other of outputs.values()) {
        if (total <= inAll) break;
        forget(other, Math.min(other.text.length, total - inAll));
      }
      notify(id);
    },
    progressOf(id) {
      const progress = outputs.get(id)?.statuses.get("progress");
      return progress?.kind === "progress" ? progress : undefined;
    },
    end(id) {
      drop(id);
      notify(id);
    },
    read(id, from) {
      const job = outputs.get(id);
      if (!job) return undefined;
      const end = job.start + job.text.length;
      // Ignores a position of another attempt, or an invalid one.
      const at = from?.attempt === job.attempt && from.at <= end ? from.at : 0;
      const first = Math.max(at, job.start);
      return {
        text: job.text.slice(first - job.start),
        missed: first - at,
        next: { attempt: job.attempt, at: end },
        statuses: [...job.statuses.values()],
      };
    },
    listen(id, listener) {
      const jobListeners = listeners.get(id) ?? new Set();
      listeners.set(id, jobListeners);
      jobListeners.add(listener);
      return () => {
        jobListeners.delete(listener);
        if (jobListeners.size === 0) listeners.delete(id);
      };
    },
    held: () => total,
  };
}
