/** Retries failed or cancelled jobs: the kept request with new secrets, validated like a new submission. */
import * as v from "valibot";
import type { Body } from "../../api/body.ts";
import type { BulkAnswer } from "../../api/jobs/bulk.ts";
import type { JobTicket } from "../../api/jobs/job.ts";
import {
  type BulkRetryRequest,
  bulkRetryRequest,
  type JobRetryRequest,
  jobRetryRequest,
  retriedStatuses,
} from "../../api/jobs/retry.ts";
import { requireScope, shareOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { maySeeJob } from "../../auth/reach.ts";
import { ServiceError } from "../../base/errors.ts";
import { refuse } from "../../base/issues.ts";
import { neverAborted } from "../../base/time/deadline.ts";
import { createTimeBudget } from "../../base/time/time-budget.ts";
import { yieldToEventLoop } from "../../base/time/yield.ts";
import type { KeptJob } from "../../store/port.ts";
import type { RetriedBulk } from "../bulk/bulk.ts";
import { findIdempotentAnswer, type JobSubmission, toInFlight } from "../idempotency.ts";
import { checkShape } from "../request/validate.ts";
import type { RetriedJob, SubmitTools } from "../submit.ts";
import { bulkBody, jobBody, type KeptSecrets } from "./retry-body.ts";

export interface RetryTools extends Pick<SubmitTools, "store" | "plugins" | "admission" | "retryMs"> {
  repeatJob(submission: JobSubmission, body: Body, retryOf: RetriedJob): Promise<JobTicket>;
  repeatBulk(submission: JobSubmission, body: Body, retryOf: RetriedBulk): Promise<BulkAnswer>;
}

const pageSize = 200;
const maxHosts = 100;
const storedSecrets = v.object({ shared: v.optional(v.unknown()), own: v.optional(v.unknown()) });
const storedError = v.nullish(v.object({ outcome: v.optional(v.string()) }));

export function createRetry(tools: RetryTools) {
  const { store, plugins, admission } = tools;

  async function retryJob(
    id: string,
    body: Body,
    caller: Caller,
    key?: string,
    budget = createTimeBudget(),
  ): Promise<JobTicket> {
    requireScope(caller, "operate");
    const submission = { endpoint: `retry of ${id}`, body, caller, key, budget } as const;
    return admission.inFlight.run(toInFlight(submission), async () => {
      const earlier = await findIdempotentAnswer<JobTicket>(tools, submission);
      if (earlier) return earlier;
      const retryRequest = checkShape(jobRetryRequest, body.value);
      const [job] = await store.kept.jobs({ ids: [id] }, 1);
      if (!job || !maySeeJob(caller, job))
        throw new ServiceError("NotFound", "There is no job with that id.");
      requireEnded(job);
      requireKnownOutcome([job], retryRequest);
      const shared = job.bulkId === null ? undefined : await store.kept.ofBulk(job.bulkId);
      const { body: retryBody, members } = jobBody(job, shared, retryRequest, {
        secrets: secretsOf(job, caller),
        plugins,
      });
      return tools.repeatJob(submission, retryBody, { id, device: job.device ?? undefined, members });
    });
  }

  async function retryBulk(
    id: string,
    body: Body,
    caller: Caller,
    key?: string,
    signal: AbortSignal = neverAborted,
    budget = createTimeBudget(),
  ): Promise<BulkAnswer> {
    requireScope(caller, "operate");
    const submission = { endpoint: `retry of ${id}`, body, caller, key, budget } as const;
    return admission.inFlight.run(toInFlight(submission), () =>
      // Limited like a bulk of that size: one at a time.
      admission.heavyWork.runSoon(shareOf(caller), signal, async () => {
        const earlier = await findIdempotentAnswer<BulkAnswer>(tools, submission);
        return earlier ?? retryOnce(id, submission);
      }),
    );
  }

  async function retryOnce(id: string, submission: JobSubmission): Promise<BulkAnswer> {
    const { body, caller } = submission;
    const retryRequest = checkShape(bulkRetryRequest, body.value);
    const bulk = await store.bulks.find(id);
    const matching = bulk ? await jobsOf(id, retryRequest, caller) : undefined;
    if (!bulk || matching === undefined) throw new ServiceError("NotFound", "There is no bulk with that id.");
    if (matching.length === 0) refuse([{ path: "only", message: "matches no job of this bulk" }]);
    const keptJobs = matching.filter(({ retryRequest }) => retryRequest !== null);
    const shared = await store.kept.ofBulk(id);
    if (shared === undefined || keptJobs.length === 0) refuse([{ path: "", message: notKept }]);
    // A push with an unknown outcome does not hold up the safe ones.
    const unknown = retryRequest.force === true ? [] : keptJobs.filter(isUnknown);
    const jobs = keptJobs.filter((job) => !unknown.includes(job));
    if (jobs.length === 0) requireKnownOutcome(unknown, retryRequest);
    const secrets = new Map(jobs.map((job) => [job.id, secretsOf(job, caller)]));
    const { body: repeated, chosen } = bulkBody(bulk, jobs, shared, retryRequest, { secrets, plugins });
    const refused = matching.filter(({ retryRequest }) => retryRequest === null);
    return tools.repeatBulk(submission, repeated, {
      bulkId: id,
      jobIds: jobs.map((job) => job.id),
      chosen,
      warnings: [
        ...(refused.length === 0 ? [] : [leftOut(refused)]),
        ...(unknown.length === 0 ? [] : [unknownText(unknown)]),
      ],
    });
  }

  /** In order of submission. @returns undefined if the caller may see none of them */
  async function jobsOf(
    id: string,
    retryRequest: BulkRetryRequest,
    caller: Caller,
  ): Promise<KeptJob[] | undefined> {
    const only = retryRequest.only ?? "failed";
    const types =
      retryRequest.error_type === undefined || retryRequest.error_type === null
        ? []
        : [retryRequest.error_type].flat();
    const candidates: KeptJob[] = [];
    let beforeSeq: number | undefined;
    for (const status of retriedStatuses[only]) {
      beforeSeq = undefined;
      for (;;) {
        const page = await store.kept.jobs({ bulkId: id, status, beforeSeq }, pageSize);
        candidates.push(...page.filter((job) => maySeeJob(caller, job)));
        if (page.length < pageSize) break;
        beforeSeq = page.at(-1)?.seq;
        await yieldToEventLoop();
      }
    }
    const { outcome } = retryRequest;
    const fits = (job: KeptJob) =>
      (types.length === 0 || types.includes(job.errorType ?? "")) &&
      (outcome === undefined || outcome === null || isUnknown(job) === (outcome === "unknown"));
    if (candidates.length > 0) return candidates.filter(fits).sort((a, b) => a.seq - b.seq);
    const [any] = (await store.jobs.heads({ bulkId: id }, pageSize)).filter((job) => maySeeJob(caller, job));
    return any === undefined ? undefined : [];
  }

  /** Only for the key that submitted them, while they are kept. */
  function secretsOf(job: KeptJob, caller: Caller): KeptSecrets {
    const isOver = (job.endedAt ?? 0) + tools.retryMs <= store.clock.wall();
    if (job.secrets === null || isOver || job.caller !== caller.keyId) return {};
    const read: unknown = JSON.parse(job.secrets);
    return Array.isArray(read) ? { own: read } : v.parse(storedSecrets, read);
  }

  return { retryJob, retryBulk };
}

const notKept =
  "the request was not stored: it is longer than 1 MiB, was refused at its submission, or came before this version";

function isUnknown({ operation, status, error }: KeptJob): boolean {
  if (operation !== "config" || status !== "failed" || error === null) return false;
  return v.parse(storedError, JSON.parse(error))?.outcome === "unknown";
}

function requireEnded({ id, status }: KeptJob): void {
  if (status === "failed" || status === "cancelled") return;
  const text = `The job is ${status}: only failed and cancelled jobs can be retried.`;
  throw new ServiceError("BusinessFailure", text, { id, status });
}

/** @throws ServiceError Validation: lines may have been sent, and would be sent twice */
function requireKnownOutcome(jobs: readonly KeptJob[], { force }: JobRetryRequest): void {
  if (force === true) return;
  const unknown = jobs.filter(isUnknown);
  if (unknown.length > 0) refuse([{ path: "force", message: unknownText(unknown) }]);
}

function unknownText(jobs: readonly KeptJob[]): string {
  const names = jobs.map(({ device, host }) => device ?? host);
  const more = names.length > maxHosts ? ` and ${names.length - maxHosts} more` : "";
  return `not retried, because the outcome is unknown for ${names.slice(0, maxHosts).join(", ")}${more}: check these devices, then retry with force: true`;
}

function leftOut(jobs: readonly KeptJob[]): string {
  const hosts = jobs.slice(0, maxHosts).map(({ host }) => host);
  return `${jobs.length} jobs are not retried, because their requests were rejected or are not stored: ${hosts.join(", ")}`;
}
