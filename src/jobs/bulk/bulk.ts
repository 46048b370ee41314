/** Accepts one operation for many devices: checks each entry on its own, stores all jobs in one transaction. */

import type { Body } from "../../api/body.ts";
import type { BulkAnswer } from "../../api/jobs/bulk.ts";
import type { OperationKind } from "../../api/jobs/job.ts";
import { type BulkRequest, bulkRequest } from "../../api/jobs/request.ts";
import { requireScope, shareOf, submitterOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { refuse, refuseAny } from "../../base/issues.ts";
import { createRawMembers } from "../../base/json/raw-members.ts";
import { neverAborted } from "../../base/time/deadline.ts";
import { createTimeBudget } from "../../base/time/time-budget.ts";
import { yieldToEventLoop } from "../../base/time/yield.ts";
import type { NewJob } from "../../store/port.ts";
import { findIdempotentAnswer, insertOnce, type JobSubmission, toInFlight } from "../idempotency.ts";
import { requireReady } from "../readiness.ts";
import { toTicket } from "../record.ts";
import { reachCheck, reachOfTask } from "../request/device/request-reach.ts";
import { whileStale } from "../request/device/selection.ts";
import { type NamedTexts, pinned, withUses } from "../request/named-templates.ts";
import { rehearsalRightsOf, unknownDriver } from "../request/operation.ts";
import { settleOptions } from "../request/options.ts";
import { cleanedPurpose } from "../request/purpose.ts";
import { createPushGate } from "../request/push-gate.ts";
import { misplacedMembers } from "../request/unknown-members.ts";
import { checkShape } from "../request/validate.ts";
import { createKeptBulk } from "../retry/kept-bulk.ts";
import type { SubmitTools } from "../submit.ts";
import { checkEntry, jobOf, reasonOf, secretsOf } from "./bulk-entry.ts";
import { inOrder, isPaced } from "./bulk-order.ts";
import { type ChosenEntry, type ExpandedBulk, expandBulk, type SelectedBulk } from "./bulk-selection.ts";
import { type BulkLimits, requireBulkSize } from "./bulk-size.ts";

export interface BulkTools extends SubmitTools, BulkLimits {}

/** Yields to the event loop after checking entries for this long. */
const stretchMs = 10;
/** Bulks up to this size do not queue behind others. */
const small = { chars: 16_384, devices: 50 } as const;

export interface RetriedBulk {
  readonly bulkId: string;
  readonly jobIds: readonly string[];
  readonly warnings: string[];
  /** Inventory values of the original bulk, which are not read again. */
  readonly chosen: readonly (ChosenEntry | undefined)[];
}

export type SubmitChosen = ReturnType<typeof createBulk>["submitChosen"];

export function createBulk(tools: BulkTools) {
  const { store, backlog, iso, admission } = tools;

  async function submit(
    body: Body,
    caller: Caller,
    key?: string,
    signal: AbortSignal = neverAborted,
    budget = createTimeBudget(),
  ): Promise<BulkAnswer> {
    requireScope(caller, "operate");
    const submission = { endpoint: "bulk", body, caller, key, budget } as const;
    return admission.inFlight.run(toInFlight(submission), async () => {
      const isSmall = body.text.length <= small.chars && devicesOf(body) <= small.devices;
      if (isSmall) return submitOnce(submission, signal);
      // One large bulk at a time per node, to bound memory.
      return admission.heavyWork.runSoon(shareOf(caller), signal, () => submitOnce(submission, signal));
    });
  }

  async function submitOnce(submission: JobSubmission, signal: AbortSignal): Promise<BulkAnswer> {
    const earlier = await findIdempotentAnswer<BulkAnswer>(tools, submission);
    return earlier ?? repeat(submission, submission.body, undefined, signal);
  }

  /** @param retryOf the retried bulk, and its jobs in the order of the devices. */
  async function repeat(
    submission: JobSubmission,
    body: Body,
    retryOf?: RetriedBulk,
    signal?: AbortSignal,
  ): Promise<BulkAnswer> {
    const { caller } = submission;
    const request = checkShape(bulkRequest, body.value);
    refuseAny(misplacedMembers(request, "bulk"));
    const { driver } = request;
    if (driver && !tools.plugins.get("driver", driver)) refuse([unknownDriver(driver, tools.plugins)]);
    const select = async () =>
      retryOf ? chosenBefore(request, retryOf) : expandBulk(tools, request, caller, signal);
    return take(submission, body, select, retryOf);
  }

  /**
   * A bulk of inventory devices that are each asked in a way of their own.
   * @param read reads the body: what it returns chooses the devices, again if the inventory has changed meanwhile
   */
  async function submitChosen(
    submission: JobSubmission,
    signal: AbortSignal,
    read: () => () => Promise<SelectedBulk>,
  ): Promise<BulkAnswer> {
    const { caller, body } = submission;
    requireScope(caller, "operate");
    const submitNew = async () => {
      const earlier = await findIdempotentAnswer<BulkAnswer>(tools, submission);
      return earlier ?? take(submission, body, read());
    };
    return admission.inFlight.run(toInFlight(submission), () =>
      admission.heavyWork.runSoon(shareOf(caller), signal, submitNew),
    );
  }

  /** @param select called again if the inventory has changed meanwhile. */
  async function take(
    submission: JobSubmission,
    body: Body,
    select: () => Promise<SelectedBulk>,
    retryOf?: RetriedBulk,
  ): Promise<BulkAnswer> {
    const { caller } = submission;
    return whileStale(async (first) => {
      const asked = await select();
      const { request, texts } = await pinned(tools, (change) => withUses(asked.request, change));
      const selected = { ...asked, request, texts };
      const { devices } = request;
      requireBulkSize(texts.size === 0 ? request : { ...request, texts: [...texts.values()] }, tools);
      requireReady(tools);
      if (first) admission.rateLimiter.spend(shareOf(caller), devices.length);
      const room = backlog.reserve(shareOf(caller), devices.length);
      try {
        const { jobs, answer, bulk } = await checkAll(selected, body, submission, retryOf);
        const { revision } = selected;
        const written = await insertOnce(tools, submission, { jobs, room, answer, bulk, revision });
        return written ?? answer;
      } finally {
        room.release();
      }
    });
  }

  return { submit, repeat, submitChosen };

  async function checkAll(
    { request, chosen, revision, texts }: SelectedBulk & { readonly texts: NamedTexts },
    body: Body,
    { caller, change }: Pick<JobSubmission, "caller" | "change">,
    retryOf?: RetriedBulk,
  ) {
    const raw = createRawMembers(body.text);
    const keeper = createKeptBulk(request, raw, tools.retryMs > 0);
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
    const restricted = createPushGate(tools, { caller, change: change !== undefined });
    const mixed = !request.driver && new Set(chosen.map((choice) => choice?.driver)).size > 1;
    const reads = rehearsalRightsOf(caller);
    let stretchStart = performance.now();
    for (const [index, entry] of request.devices.entries()) {
      if (performance.now() - stretchStart > stretchMs) {
        await yieldToEventLoop();
        stretchStart = performance.now();
      }
      const choice = chosen[index];
      const device = { request, entry, index, choice, mixed, reads, texts };
      const checked = await restricted(await checkEntry(device, raw, refused, tools));
      const reach = reachOfTask(caller, checked);
      const identity = { id: store.makeId(), bulkId, caller, reach, fingerprint: store.fingerprint };
      for (const secret of secretsOf(device, checked)) secrets.add(secret);
      const from = { device: choice?.device, retryOf: retryOf?.jobIds[index] };
      const job = { ...jobOf(device, checked, identity, tools.resultTtlMs), ...from };
      jobs.push(job);
      // Discovery jobs are not kept for a retry: a new discovery asks again.
      if (checked.ok && choice?.discovery === undefined && change === undefined)
        keeper.add(job.id, entry, index, checked.operation, choice?.members);
      if (checked.ok) answer.succeeded.push(toTicket(job, createdAt));
      else {
        answer.failed.push(job.host);
        const device = choice?.device === undefined ? {} : { device: choice.device };
        answer.failed_jobs.push({ ...device, host: job.host, id: job.id, reason: reasonOf(checked) });
      }
    }
    const purpose = await cleanedPurpose(settleOptions(request).options, secrets);
    const kept = keeper.end();
    const bulk = {
      id: bulkId,
      caller: caller.keyId,
      driver: driverOf(request, jobs),
      operation: operationOf(request, jobs),
      dryRun: jobs.length > 0 && jobs.every(({ dryRun }) => dryRun === true),
      submitter: submitterOf(caller),
      concurrency: request.concurrency,
      maxFailures: request.max_failures,
      order: request.order,
      retryOf: retryOf?.bulkId,
      selector: request.select,
      revision,
      retryRequest: kept.bulk,
      changeId: change?.id,
      changePart: change?.part,
      ...purpose,
    };
    const paced = isPaced(request);
    // All jobs share the purpose, which contains no secrets.
    const allJobs = jobs.map((job) => ({ ...job, ...purpose, paced, ...kept.jobs.get(job.id) }));
    return { jobs: inOrder(allJobs, request.order), answer, bulk };
  }
}

/** The driver shown in the record; a list if there are several. */
function driverOf({ driver }: ExpandedBulk, jobs: readonly NewJob[]): string {
  if (driver) return driver;
  const [first = "none", ...others] = new Set(jobs.map((job) => job.driver));
  return others.length > 0 ? "mixed" : first;
}

function chosenBefore(request: BulkRequest, { chosen }: RetriedBulk): SelectedBulk {
  return { request: { ...request, devices: request.devices ?? [] }, chosen, revision: undefined };
}

/** The shared operation, or that of the first device. */
function operationOf(request: ExpandedBulk, [first]: readonly NewJob[]): OperationKind {
  const { command, config } = request;
  if (settleOptions(request).options.rehearse === true) return "query";
  const isConfig = config !== undefined && config !== null;
  const isQuery = command !== undefined && command !== null;
  return isConfig ? "config" : isQuery ? "query" : (first?.operation ?? "query");
}

/** A value that is not a list is refused later, by the schema. */
function devicesOf({ value }: Body): number {
  if (typeof value !== "object" || value === null) return 0;
  if ("select" in value && value.select) return Number.POSITIVE_INFINITY;
  return "devices" in value && Array.isArray(value.devices) ? value.devices.length : 0;
}
