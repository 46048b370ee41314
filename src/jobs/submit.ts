/** Accepts one operation: validates and stores it, and wakes the dispatcher. */

import type { Body } from "../api/body.ts";
import type { RestorePlan } from "../api/history/history.ts";
import type { JobTicket } from "../api/jobs/job.ts";
import { executeRequest } from "../api/jobs/request.ts";
import { requireScope, shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import type { DiskReserve } from "../base/files/disk-reserve.ts";
import { refuse, refuseAny } from "../base/issues.ts";
import { isGiven, withoutNulls } from "../base/json/members.ts";
import { createRawMembers } from "../base/json/raw-members.ts";
import { createTimeBudget } from "../base/time/time-budget.ts";
import type { JobEvents } from "../events/notices.ts";
import type { Admission, Backlog } from "../limits/port.ts";
import type { Store } from "../store/port.ts";
import { findIdempotentAnswer, insertOnce, type JobSubmission, toInFlight } from "./idempotency.ts";
import type { ComparedRequest, QueuedJob } from "./port.ts";
import { requireReady } from "./readiness.ts";
import { toTicket } from "./record.ts";
import { overlaid, validatedWithStandIns } from "./request/device/connection.ts";
import type { HostAddresses } from "./request/device/host-addresses.ts";
import { type ReachTools, reachOfTask, requireReach } from "./request/device/request-reach.ts";
import { type SelectionTools, whileStale, withDevice } from "./request/device/selection.ts";
import { pinned, withUses } from "./request/named-templates.ts";
import { newJob } from "./request/new-job.ts";
import { checkOperation, rehearsalRightsOf, unknownDriver } from "./request/operation.ts";
import { createPushGate } from "./request/push-gate.ts";
import type { TemplateMembers } from "./request/template-members.ts";
import { misplacedMembers } from "./request/unknown-members.ts";
import { checkShape } from "./request/validate.ts";
import { strippedRequest } from "./retry/kept-request.ts";

export interface SubmitTools extends ReachTools, SelectionTools {
  readonly store: Store;
  readonly backlog: Backlog;
  readonly admission: Pick<Admission, "inFlight" | "heavyWork" | "rateLimiter">;
  readonly iso: (ms: number) => string;
  readonly resultTtlMs: number;
  /** How long secrets of failed jobs are kept; 0: not at all. */
  readonly retryMs: number;
  /** Reasons to refuse work: shutting down, or no node lease. */
  notReady(): readonly string[];
  readonly disk?: DiskReserve;
  /** Wakes the dispatcher; the jobs are already queued at the writer, before any later write. */
  onQueued(jobs: readonly QueuedJob[]): void;
  /** To find maintenance windows of devices known by another name. */
  readonly addresses: HostAddresses;
  /** Jobs were stored as held, until a time or by their bulk. */
  onHeld(bulkId: string | null): void;
  readonly jobEvents: Pick<JobEvents, "submitted">;
}

/** A retried job, with its original inventory values. */
export interface RetriedJob {
  readonly id: string;
  readonly device: string | undefined;
  readonly members: TemplateMembers | undefined;
}

export function createSubmit(tools: SubmitTools) {
  const { store, plugins, backlog, iso, admission } = tools;

  async function submit(submission: JobSubmission): Promise<JobTicket> {
    const earlier = await findIdempotentAnswer<JobTicket>(tools, submission);
    return earlier ?? repeat(submission, submission.body);
  }

  /**
   * @param retryOf the retried job, after its Idempotency-Key was not found.
   * @param restore the lines are masked: those of a version are pushed. Such a request is not kept for a retry.
   */
  async function repeat(
    submission: JobSubmission,
    body: Body,
    retryOf?: RetriedJob,
    restore?: RestorePlan,
  ): Promise<JobTicket> {
    const { caller } = submission;
    const asked = checkShape(executeRequest, body.value);
    refuseAny(misplacedMembers(asked, "execute"));
    const { request, texts } = await pinned(tools, (change) => withUses(asked, change));
    return whileStale(async () => {
      const renders = isGiven(request.rendering ?? request.options?.rendering);
      const { driver, connection, device, revision, ...more } = await withDevice(
        tools,
        request,
        renders,
        caller,
        // A retry goes to the address of the first job, whatever the inventory says by now.
        retryOf === undefined,
      );
      const source = {
        request: { ...request, driver },
        connection,
        raw: createRawMembers(body.text),
        configPath: ["config"],
        members: more.members ?? retryOf?.members,
      };
      const restricted = createPushGate(tools, { caller, change: false });
      const rehearsing = { ...rehearsalRightsOf(caller), device: device ?? retryOf?.device };
      const sound = await checkOperation(
        { ...source, rehearsing, texts, bulk: false },
        plugins,
        tools.resultTtlMs,
      );
      if (!sound.ok) return refuse(sound.issues);
      await requireReach(tools, caller, sound);
      // Checked after access rights, so that windows are not revealed.
      const checked = await restricted(sound);
      if (!checked.ok) return refuse(checked.issues);
      requireReady(tools);
      const room = backlog.reserve(shareOf(caller), 1);
      try {
        const identity = { id: store.makeId(), bulkId: null, caller, fingerprint: store.fingerprint };
        const { operation } = checked;
        const stripped = restore ? undefined : strippedRequest(source, operation, operation);
        const payload = restore ? { ...operation.payload, restore } : operation.payload;
        const job = {
          ...newJob({ ...operation, payload }, { ...identity, reach: reachOfTask(caller, checked) }),
          retryOf: retryOf?.id,
          device: device ?? retryOf?.device,
          retryRequest: stripped?.text,
          secrets: tools.retryMs > 0 && stripped ? JSON.stringify(stripped.removed) : undefined,
        };
        const answer = toTicket(job, iso(store.clock.wall()));
        return (await insertOnce(tools, submission, { jobs: [job], room, answer, revision })) ?? answer;
      } finally {
        room.release();
      }
    });
  }

  return {
    repeat,
    async compare(request: ComparedRequest, caller: Caller, plan?: RestorePlan) {
      requireScope(caller, "operate");
      const { driver, connection } = await withDevice(tools, request, false, caller);
      const plugin = plugins.get("driver", driver);
      const args = overlaid(
        plugin ?? refuse([unknownDriver(driver, plugins)]),
        connection,
        request.driver_args,
      );
      const compares = plugin?.compares?.(await validatedWithStandIns(plugin, args), {}, (name) =>
        plugins.get("platform", name),
      );
      if (compares !== true)
        return {
          job: undefined,
          warnings: [`the driver ${driver} cannot let this device compare: there is no dry run`],
        };
      const value = withoutNulls<Record<string, unknown>>({ ...request });
      const body = { text: JSON.stringify(value), value };
      const budget = createTimeBudget();
      const submission = { endpoint: "execute", body, caller, key: undefined, budget } as const;
      return { job: await repeat(submission, body, undefined, plan), warnings: [] };
    },
    async submit(body: Body, caller: Caller, key?: string, budget = createTimeBudget()): Promise<JobTicket> {
      requireScope(caller, "operate");
      const submission = { endpoint: "execute", body, caller, key, budget } as const;
      return admission.inFlight.run(toInFlight(submission), () => submit(submission));
    },
  };
}
