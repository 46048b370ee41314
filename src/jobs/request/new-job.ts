/** Builds the stored row of a job: queue, lane, webhook. */

import { fifoQueue } from "../../api/admin/worker.ts";
import { canonicalHost, pinnedQueue } from "../../api/identity.ts";
import type { JobResult } from "../../api/jobs/job.ts";
import { shareOf, submitterOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { claimOrder, type NewJob, receiverOf } from "../../store/port.ts";
import type { Operation } from "./operation.ts";

export interface JobIdentity {
  /** Host patterns that later connections, fetches and webhooks are checked against. */
  readonly reach: readonly string[];
  readonly id: string;
  readonly bulkId: string | null;
  readonly caller: Caller;
  /** Keyed hash. */
  fingerprint(text: string): string;
}

export function newJob(operation: Operation, identity: JobIdentity): NewJob {
  const { id, bulkId, caller, reach } = identity;
  const queue = operation.strategy === "pinned" ? pinnedQueue(operation.host) : fifoQueue;
  const { webhook } = operation;
  const limits = reach.length > 0 ? { reach } : {};
  return {
    id,
    bulkId,
    strategy: operation.strategy,
    queue,
    lane: claimOrder.laneOf({ ...operation, queue, share: shareOf(caller), bulkId }),
    host: operation.host,
    hostKey: canonicalHost(operation.host),
    driver: operation.driver,
    deviceType: operation.deviceType,
    operation: operation.operation,
    dryRun: operation.dryRun,
    caller: callerOf(caller),
    submitter: submitterOf(caller),
    ttlMs: operation.ttlMs,
    resultTtlMs: operation.resultTtlMs,
    retries: operation.retries,
    notBefore: operation.notBefore,
    windowEnd: operation.windowEnd,
    warnings: operation.warnings,
    asked: operation.summary,
    ...operation.summary.purpose,
    payload: JSON.stringify({ ...operation.payload, ...limits }),
    webhook: webhook && {
      receiver: receiverOf(identity.fingerprint(caller.keyId), identity.fingerprint(webhook.receiver)),
      events: webhook.events,
      content: JSON.stringify({ ...webhook.content, ...limits }),
    },
  };
}

export interface RefusedDevice {
  readonly driver: string;
  readonly host: string;
  readonly deviceType: string | null;
  readonly config: boolean;
  readonly dryRun: boolean;
  readonly reason: string;
}

/** The failed job of a bulk entry that was refused. */
export function failedJob(refused: RefusedDevice, identity: JobIdentity, resultTtlMs: number): NewJob {
  const result: JobResult = {
    type: "failed",
    retval: null,
    error: { type: "Validation", message: refused.reason },
  };
  return {
    id: identity.id,
    bulkId: identity.bulkId,
    strategy: "fifo",
    queue: fifoQueue,
    lane: claimOrder.laneOf({
      strategy: "fifo",
      queue: fifoQueue,
      share: shareOf(identity.caller),
      bulkId: identity.bulkId,
      priority: "normal",
    }),
    host: refused.host,
    hostKey: canonicalHost(refused.host),
    driver: refused.driver,
    deviceType: refused.deviceType,
    operation: refused.config ? "config" : "query",
    dryRun: refused.config && refused.dryRun,
    caller: callerOf(identity.caller),
    submitter: submitterOf(identity.caller),
    ttlMs: 1_000,
    resultTtlMs,
    retries: 0,
    warnings: [],
    payload: "{}",
    failure: JSON.stringify(result),
    errorType: "Validation",
  };
}

function callerOf({ keyId, name, from }: Caller): NewJob["caller"] {
  return { keyId, name, from };
}
