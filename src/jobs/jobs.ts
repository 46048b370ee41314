/** Everything a caller can ask for, put together. */
import type { Store } from "../store/store.ts";
import type { Backlog } from "./backlog.ts";
import { createBulk } from "./bulk.ts";
import { createCancel } from "./cancel.ts";
import type { Plugins } from "./connection.ts";
import type { Ends } from "./ends.ts";
import { createQuery } from "./query.ts";
import { createSubmit, type QueuedJob } from "./submit.ts";

export interface JobsOptions {
  readonly store: Store;
  readonly plugins: Plugins;
  readonly backlog: Backlog;
  readonly ends: Ends;
  readonly iso: (ms: number) => string;
  readonly resultTtlMs: number;
  readonly maxBulk: number;
  onQueued(jobs: readonly QueuedJob[]): void;
  onStop(ids: readonly string[]): void;
  onEnded(): void;
}

export function createJobs(options: JobsOptions) {
  const query = createQuery(options);
  return {
    submit: createSubmit(options),
    bulk: createBulk(options),
    list: query.list,
    waitFor: query.waitFor,
    waitForBulk: query.waitForBulk,
    cancel: createCancel(options),
  };
}
