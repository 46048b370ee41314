/** Everything a caller can ask for, put together. */

import type { Resolve } from "../auth/reach.ts";
import type { Registry } from "../registry/registry.ts";
import type { PluginSettingsSource } from "../registry/settings.ts";
import type { Store } from "../store/libsql/store.ts";
import type { Pool } from "../pool/port.ts";
import type { Admission } from "../queue/admission.ts";
import type { Jobs } from "./port.ts";
import type { Backlog } from "../queue/backlog.ts";
import { createBulk } from "./bulk.ts";
import { createCancel } from "./cancel.ts";
import { createConnectionTest } from "./connection-test.ts";
import type { Ends } from "../queue/job-events.ts";
import type { Logins } from "../queue/login-gate.ts";
import { createPluginList } from "./plugins.ts";
import { createQuery } from "./query.ts";
import { createRelease } from "./release.ts";
import { createTemplates } from "./render.ts";
import { createState, type StateTools } from "./state.ts";
import { createSubmit, type QueuedJob } from "./submit.ts";
import { createWorkerQueries, type WorkerTools } from "./workers.ts";

export interface JobsOptions extends Pick<WorkerTools, "node"> {
  readonly store: Store;
  readonly pool: Pool;
  readonly plugins: Registry;
  /** As they were given, for those who look at them. */
  readonly pluginSettings?: PluginSettingsSource | undefined;
  readonly backlog: Backlog;
  readonly ends: Ends;
  readonly logins: Logins;
  readonly iso: (ms: number) => string;
  readonly resultTtlMs: number;
  readonly maxBulk: number;
  /** Hosts that the operator lets webhooks and templates reach. */
  readonly urlAllow: readonly string[];
  /** Looks names up; default the system. */
  readonly resolve?: Resolve | undefined;
  readonly maxBulkBytes: number;
  readonly admission: Admission;
  /** The scheduler, which knows jobs; jobs do not know it. */
  readonly scheduler: JobsScheduler;
}

export interface JobsScheduler
  extends Pick<WorkerTools, "ownWorkers" | "onStopWorkers">,
    Pick<StateTools, "notReady"> {
  /** Jobs wait; they are with the writer, and what is written now comes after them. */
  onQueued(jobs: readonly QueuedJob[]): void;
  /** Stops jobs that run on this node. */
  onStop(ids: readonly string[]): void;
  /** A webhook became due. */
  onEnded(): void;
}

export function createJobs(options: JobsOptions): Jobs {
  const { store, scheduler } = options;
  const tools = { ...options, ...scheduler, now: store.clock.wall };
  const query = createQuery(tools);
  // One of the rate for each tenth of a second.
  const onTemplateCpu = (keyId: string, cpuMs: number) => options.admission.rates.charge(keyId, cpuMs / 100);
  return {
    submit: createSubmit(tools),
    bulk: createBulk(tools),
    list: query.list,
    page: query.page,
    statusesOf: query.statusesOf,
    waitFor: query.waitFor,
    waitForBulk: query.waitForBulk,
    cancel: createCancel(tools),
    release: createRelease(tools),
    testConnection: createConnectionTest(tools),
    ...createTemplates({ ...tools, onTemplateCpu }),
    ...createWorkerQueries(tools),
    ...createPluginList(options),
    ...createState(tools),
  };
}
