/** Takes the same operation for many devices: each entry is checked on its own, all of them are stored at once. */

import * as v from "valibot";
import { requireScope } from "../auth/caller.ts";
import { credentialRefusal } from "../auth/credentials.ts";
import type { Caller } from "../auth/port.ts";
import { refusalText } from "../auth/reach.ts";
import { neverAborted } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import { createPatience } from "../base/patience.ts";
import { yieldToEventLoop } from "../base/yield.ts";
import type { OperationKind } from "../model/job.ts";
import { type BulkRequest, bulkRequest, commandField, configField } from "../model/request.ts";
import type { NewJob } from "../store/port.ts";
import { inOrder, isPaced } from "./bulk-order.ts";
import { findIdempotentAnswer, insertOnce, type JobSubmission, toInFlight } from "./idempotency.ts";
import { checkShape, refuse } from "./issues.ts";
import { createKeptBulk } from "./kept-bulk.ts";
import { failedJob, type JobIdentity, newJob } from "./new-job.ts";
import { type CheckedOperation, checkOperation, unknownDriver } from "./operation.ts";
import { settleOptions } from "./options.ts";
import type { Body, BulkAnswer } from "./port.ts";
import { cleanedPurpose, secretsByName } from "./purpose.ts";
import { requireReady } from "./readiness.ts";
import { toTicket } from "./record.ts";
import { type RefusedHosts, reachCheck, requireNoneRefused } from "./request-reach.ts";
import { sharedIssues } from "./shared-issues.ts";
import type { SubmitTools } from "./submit.ts";

export interface BulkTools extends SubmitTools {
  readonly maxBulk: number;
  /** Most that the jobs of one bulk may hold together. */
  readonly maxBulkBytes: number;
}

/** Entries are checked in stretches of this time, between which others get a turn. */
const stretchMs = 10;
/** Up to these a bulk waits for no other. */
const small = { chars: 16_384, devices: 50 } as const;
const ownWorkFields = v.object({ command: v.optional(commandField), config: v.optional(configField) });

export interface RetriedBulk {
  readonly bulkId: string;
  readonly jobIds: readonly string[];
  readonly warnings: string[];
}

export function createBulk(tools: BulkTools) {
  const { store, backlog, iso, admission } = tools;

  async function submit(
    body: Body,
    caller: Caller,
    key?: string,
    signal: AbortSignal = neverAborted,
    patience = createPatience(),
  ): Promise<BulkAnswer> {
    requireScope(caller, "operate");
    const submission = { endpoint: "bulk", body, caller, key, patience } as const;
    return admission.inFlight.run(toInFlight(submission), async () => {
      const isSmall = body.text.length <= small.chars && devicesOf(body) <= small.devices;
      if (isSmall) return submitOnce(submission);
      // One at a time: what is read, checked and sealed of one is gone before the next one begins.
      return admission.heavyWork.run(caller.keyId, signal, () => submitOnce(submission));
    });
  }

  async function submitOnce(submission: JobSubmission): Promise<BulkAnswer> {
    const earlier = await findIdempotentAnswer<BulkAnswer>(tools, submission);
    return earlier ?? repeat(submission, submission.body);
  }

  /** @param retryOf the bulk and the jobs, in the order of the devices, whose requests these are. */
  async function repeat(submission: JobSubmission, body: Body, retryOf?: RetriedBulk): Promise<BulkAnswer> {
    const { caller } = submission;
    const request = checkShape(bulkRequest, body.value);
    requireBulkSize(request, tools);
    if (!tools.plugins.get("driver", request.driver)) refuse([unknownDriver(request.driver, tools.plugins)]);
    requireReady(tools);
    admission.rateLimiter.spend(caller.keyId, request.devices.length);
    const room = backlog.reserve(caller.keyId, request.devices.length);
    try {
      const { jobs, answer, bulk } = await checkAll(request, body, caller, retryOf);
      return (await insertOnce(tools, submission, jobs, room, answer, bulk)) ?? answer;
    } finally {
      room.release();
    }
  }

  return { submit, repeat };

  async function checkAll(request: BulkRequest, body: Body, caller: Caller, retryOf?: RetriedBulk) {
    const keeper = createKeptBulk(request, body, tools.retryMs > 0);
    const bulkId = store.makeId();
    const createdAt = iso(store.clock.wall());
    const answer: BulkAnswer = {
      succeeded: [],
      failed: [],
      failed_jobs: [],
      bulk_id: bulkId,
      ...(retryOf ? { retry_of: retryOf.bulkId } : {}),
      ...(retryOf && retryOf.warnings.length > 0 ? { warnings: retryOf.warnings } : {}),
    };
    const jobs: NewJob[] = [];
    const secrets = new Set<string>();
    const refused = reachCheck(tools, caller);
    let stretchStart = performance.now();
    for (const [index, entry] of request.devices.entries()) {
      if (performance.now() - stretchStart > stretchMs) {
        await yieldToEventLoop();
        stretchStart = performance.now();
      }
      const identity = { id: store.makeId(), bulkId, caller, fingerprint: store.fingerprint };
      const checked = await checkEntry(request, entry, index, body, refused);
      for (const secret of secretsOf(request, entry, checked)) secrets.add(secret);
      const job = { ...jobOf(request, checked, identity, index), retryOf: retryOf?.jobIds[index] };
      jobs.push(job);
      if (checked.ok) keeper.add(job.id, entry, index, checked.operation);
      if (checked.ok) answer.succeeded.push(toTicket(job, createdAt));
      else {
        answer.failed.push(job.host);
        answer.failed_jobs.push({ host: job.host, id: job.id, reason: reasonOf(checked) });
      }
    }
    const { driver } = request;
    const purpose = await cleanedPurpose(settleOptions(request).options, secrets);
    const kept = keeper.end();
    const bulk = {
      id: bulkId,
      caller: caller.keyId,
      driver,
      operation: operationOf(request, jobs),
      concurrency: request.concurrency,
      maxFailures: request.max_failures,
      order: request.order,
      retryOf: retryOf?.bulkId,
      kept: kept.bulk,
      ...purpose,
    };
    const paced = isPaced(request);
    // Each of them is found by it, and none holds the secrets of another.
    const all = jobs.map((job) => ({ ...job, ...purpose, paced, ...kept.jobs.get(job.id) }));
    return { jobs: inOrder(all, request.order), answer, bulk };
  }

  async function checkEntry(
    request: BulkRequest,
    entry: Record<string, unknown>,
    index: number,
    body: Body,
    refused: RefusedHosts,
  ): Promise<CheckedOperation> {
    const { command, config, ...fields } = entry;
    const ownWork = v.safeParse(ownWorkFields, omitNullish({ command, config }));
    const connection = overlay(request.connection_args ?? {}, fields);
    if (!ownWork.success) {
      const path = `devices.${index}.${String(ownWork.issues[0].path?.[0]?.key ?? "command")}`;
      return {
        ok: false,
        issues: [{ path, message: "is not valid" }],
        host: hostOf(connection),
        deviceType: null,
      };
    }
    const replaced = ownWork.output.command !== undefined || ownWork.output.config !== undefined;
    const { connection_args: _shared, devices: _devices, ...shared } = request;
    const checked = await checkOperation(
      {
        request: replaced ? { ...shared, command: undefined, config: undefined, ...ownWork.output } : shared,
        connection,
        text: body.text,
        configPath: replaced ? ["devices", index, "config"] : ["config"],
        bulk: true,
      },
      tools.plugins,
      tools.resultTtlMs,
    );
    if (!checked.ok) {
      const shared = sharedIssues(checked.issues, request, entry, replaced);
      return shared.length > 0 ? refuse(shared) : checked;
    }
    const { hosts, urls, credential } = await refused(checked);
    // They are shared by all: no device of this bulk may have them.
    requireNoneRefused(urls);
    if (hosts.length === 0 && credential === undefined) return checked;
    const { host, deviceType } = checked.operation;
    const issues = hosts.map((refused) => ({ path: refused.path, message: refusalText(refused) }));
    if (credential !== undefined)
      issues.push({ path: "connection_args.credential", message: credentialRefusal(credential) });
    return { ok: false, issues, host, deviceType };
  }

  function jobOf(
    request: BulkRequest,
    checked: CheckedOperation,
    identity: JobIdentity,
    index: number,
  ): NewJob {
    if (checked.ok) return newJob(checked.operation, identity);
    const refused = {
      driver: request.driver.slice(0, 64),
      host: checked.host || `device ${index + 1}`,
      deviceType: checked.deviceType,
      config: request.config !== undefined && request.config !== null,
      reason: reasonOf(checked),
    };
    return failedJob(refused, identity, tools.resultTtlMs);
  }
}

function secretsOf(
  request: BulkRequest,
  entry: Record<string, unknown>,
  checked: CheckedOperation,
): readonly string[] {
  if (checked.ok) return checked.operation.secrets;
  const { options, webhook, driver_args } = request;
  return secretsByName(overlay(request.connection_args ?? {}, entry), driver_args, options, webhook);
}

/** What all share; else that of its first device. */
function operationOf({ command, config }: BulkRequest, [first]: readonly NewJob[]): OperationKind {
  const isConfig = config !== undefined && config !== null;
  const isQuery = command !== undefined && command !== null;
  return isConfig ? "config" : isQuery ? "query" : (first?.operation ?? "query");
}

/** A value that is no list is told by its shape, later. */
function devicesOf({ value }: Body): number {
  const devices =
    typeof value === "object" && value !== null && "devices" in value ? value.devices : undefined;
  return Array.isArray(devices) ? devices.length : 0;
}

/** What the devices share is stored with each of them. @throws ServiceError PayloadTooLarge */
function requireBulkSize(
  { devices, ...shared }: BulkRequest,
  { maxBulk, maxBulkBytes }: Pick<BulkTools, "maxBulk" | "maxBulkBytes">,
): void {
  if (devices.length > maxBulk) {
    const text = `A bulk may name at most ${maxBulk} devices; this one names ${devices.length}.`;
    throw new ServiceError("PayloadTooLarge", text);
  }
  const bytes = JSON.stringify(shared).length * devices.length;
  if (bytes <= maxBulkBytes) return;
  const mib = (size: number) => Math.ceil(size / 1024 / 1024);
  const text = `The jobs of this bulk would hold ${mib(bytes)} MiB together, since each of its ${devices.length} devices gets all that they share; at most ${mib(maxBulkBytes)} MiB. Send it in parts.`;
  throw new ServiceError("PayloadTooLarge", text);
}

const mostReasons = 5;

function reasonOf(checked: CheckedOperation): string {
  if (checked.ok) return "";
  const more = checked.issues.length - mostReasons;
  return [
    ...checked.issues.slice(0, mostReasons).map(({ path, message }) => `${path}: ${message}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("; ");
}

/** Member by member into a fresh object: an entry can not change what the others share. */
function overlay(shared: Record<string, unknown>, entry: Record<string, unknown>): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  const names = Object.keys(entry);
  // A device named one way is not contradicted by the other spelling in the shared part.
  const renamed = names.includes("host") ? "hostname" : names.includes("hostname") ? "host" : undefined;
  for (const [field, value] of Object.entries(shared)) if (field !== renamed) merged[field] = value;
  for (const [field, value] of Object.entries(entry)) if (value !== undefined) merged[field] = value;
  return merged;
}

function hostOf(connection: Record<string, unknown>): string {
  const host = connection.host ?? connection.hostname;
  return typeof host === "string" ? host.slice(0, 253) : "";
}

function omitNullish(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  );
}
