/** Assembles the jobs interface. */

import type { Resolve } from "../auth/port.ts";
import type { DiskReserve } from "../base/files/disk-reserve.ts";
import type { JobEvents } from "../events/notices.ts";
import type { Inventory } from "../inventory/port.ts";
import type { Admission, Backlog, CredentialUse, LoginGate } from "../limits/port.ts";
import type { Pool } from "../pool/port.ts";
import type { Registry } from "../registry/registry.ts";
import type { Store } from "../store/port.ts";
import { createBulk } from "./bulk/bulk.ts";
import { createBulkQuery } from "./bulk/bulk-query.ts";
import { createChangeBulks } from "./bulk/change.ts";
import { createDiscover } from "./bulk/discover.ts";
import { createTake } from "./bulk/take.ts";
import { createCancel } from "./cancel.ts";
import { createConnectionTest } from "./connection-test.ts";
import { createGates } from "./gates.ts";
import { submittedBulk } from "./idempotency.ts";
import type { ChangeJobs, GateJobs, Jobs, QueueListener } from "./port.ts";
import { createQuery } from "./query.ts";
import { createReadiness } from "./readiness.ts";
import { createRelease } from "./release.ts";
import { createHostAddresses } from "./request/device/host-addresses.ts";
import { createTargetCheck } from "./request/webhook.ts";
import { createKeptCheck } from "./retry/kept-check.ts";
import { createRetry } from "./retry/retry.ts";
import { hostCondition, selectedHosts } from "./select-filter.ts";
import { createSubmit } from "./submit.ts";
import { createTemplateRunner } from "./template-runner.ts";

export interface JobsOptions {
  readonly store: Store;
  /** The inventory used by requests. */
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly pool: Pool;
  readonly plugins: Registry;
  readonly backlog: Backlog;
  readonly jobEvents: JobEvents;
  readonly loginGate: LoginGate;
  readonly credentialUse: CredentialUse;
  readonly iso: (ms: number) => string;
  readonly resultTtlMs: number;
  /** How long secrets of failed jobs are kept for a retry; default: not at all. */
  readonly retryMs?: number;
  readonly maxBulk: number;
  /** Hosts that webhooks and templates may reach, as set by the operator. */
  readonly urlAllow: readonly string[];
  /** Resolves names; default: the system resolver. */
  readonly resolve?: Resolve;
  readonly maxBulkBytes: number;
  readonly admission: Admission;
  /** Undefined: disk space is not checked. */
  readonly disk?: DiskReserve;
  /** Notified about queued jobs. */
  readonly scheduler: QueueListener;
}

export function createJobs(options: JobsOptions): Jobs & ChangeJobs & GateJobs {
  const { store, scheduler } = options;
  const addresses = createHostAddresses(options.resolve);
  const tools = { ...options, ...scheduler, addresses, now: store.clock.wall, retryMs: options.retryMs ?? 0 };
  const submission = createSubmit(tools);
  const bulks = createBulk(tools);
  const query = createQuery(tools);
  const bulkQuery = createBulkQuery(tools);
  const { cancel, cancelBulk } = createCancel({ ...tools, findBulk: bulkQuery.findBulk });
  // Each 100 ms of CPU time costs one token of the rate limit.
  const onTemplateCpu = (share: string, cpuMs: number) =>
    options.admission.rateLimiter.charge(share, cpuMs / 100);
  return {
    submit: submission.submit,
    compare: submission.compare,
    bulk: bulks.submit,
    submittedBulk: (caller, key) => submittedBulk(store, caller, key),
    checkKept: createKeptCheck(tools),
    checkWebhook: createTargetCheck(tools),
    discover: createDiscover(tools, bulks.submitChosen),
    take: createTake(tools, bulks.submitChosen),
    ...createChangeBulks(tools, bulks.submitChosen),
    ...createGates(tools),
    ...createRetry({ ...tools, repeatJob: submission.repeat, repeatBulk: bulks.repeat }),
    hostNamed: async (host, caller) => (await hostCondition(tools, { host }, caller)).hostKey ?? host,
    hostsOf: (select, caller, signal) => selectedHosts(tools, select, caller, signal),
    list: query.list,
    page: query.page,
    statusesOf: query.statusesOf,
    waitFor: query.waitFor,
    waitForBulk: query.waitForBulk,
    sentBy: query.sentBy,
    cancel,
    bulks: bulkQuery.bulks,
    bulkRecord: bulkQuery.bulkRecord,
    bulkResults: bulkQuery.bulkResults,
    cancelBulk,
    release: createRelease(tools),
    testConnection: createConnectionTest(tools),
    ...createTemplateRunner({ ...tools, onTemplateCpu }),
    ready: createReadiness(tools),
  };
}
