/** What submits jobs: operations, bulks, discoveries and retries; and the connection test. */
import type { Body } from "../../../api/body.ts";
import { type BulkAnswer, bulkAnswer } from "../../../api/jobs/bulk.ts";
import { type JobTicket, submittedJob } from "../../../api/jobs/job.ts";
import {
  bulkRequest,
  discoverRequest,
  executeRequest,
  testAnswer,
  testRequest,
} from "../../../api/jobs/request.ts";
import { bulkRetryRequest, jobRetryRequest } from "../../../api/jobs/retry.ts";
import { ServiceError } from "../../../base/errors.ts";
import { objectData, rawData } from "../../answer/json-data.ts";
import { success } from "../../answer/respond.ts";
import { sendData } from "../../answer/send-answer.ts";
import type { Call } from "../../call.ts";
import { route } from "../../route.ts";

const maxWaitS = 600;

const submission = { scope: "operate", submits: true } as const;
const ofJob = {
  ...submission,
  method: "POST",
  answer: submittedJob,
  created: true,
  gives: { Location: "Path of the job" },
} as const;
const ofBulk = { ...submission, method: "POST", answer: bulkAnswer } as const;

export const submissionRoutes = [
  route({
    ...ofJob,
    id: "submitJob",
    path: "/device/execute",
    summary: "Submit one device operation",
    body: executeRequest,
    handle(call) {
      const { jobs } = call.options;
      return submitJob(call, (body, key) => jobs.submit(body, call.caller, key, call.budget));
    },
  }),
  route({
    ...ofBulk,
    id: "submitBulk",
    path: "/device/bulk",
    summary: "Submit the same operation for many devices",
    body: bulkRequest,
    handle(call) {
      const { options, caller, request, budget } = call;
      return submitBulk(call, (body, key) => options.jobs.bulk(body, caller, key, request.signal, budget));
    },
  }),
  route({
    id: "testConnection",
    method: "POST",
    path: "/device/test-connection",
    scope: "operate",
    summary: "Test connection and login, without a job",
    body: testRequest,
    answer: testAnswer,
    async handle(call) {
      const body = await call.body();
      call.admitNextBody();
      const answer = await call.options.jobs.testConnection(body, call.caller, call.request.signal);
      return success(answer, answer.success ? "Connection test completed" : "Connection test failed");
    },
  }),
  route({
    ...ofBulk,
    id: "discoverDevices",
    path: "/inventory/discover",
    summary: "Discover what devices are, one job per device, and store the facts in the inventory",
    body: discoverRequest,
    handle(call) {
      const { options, caller, request, budget } = call;
      return submitBulk(call, (body, key) =>
        options.jobs.discover(body, caller, key, request.signal, budget),
      );
    },
  }),
  route({
    ...ofJob,
    id: "retryJob",
    path: "/job/:name/retry",
    summary: "Retry a failed or cancelled job; `name` is its id",
    body: jobRetryRequest,
    refusable: true,
    handle(call) {
      const { options, caller, budget, name = "" } = call;
      return submitJob(call, (body, key) => options.jobs.retryJob(name, body, caller, key, budget));
    },
  }),
  route({
    ...ofBulk,
    id: "retryBulk",
    path: "/bulk/:name/retry",
    summary: "Retry the failed or cancelled jobs of a bulk; `name` is its id",
    body: bulkRetryRequest,
    handle(call) {
      const { options, caller, request, budget, name = "" } = call;
      return submitBulk(call, (body, key) =>
        options.jobs.retryBulk(name, body, caller, key, request.signal, budget),
      );
    },
  }),
];

async function submitJob(
  call: Call,
  submit: (body: Body, key: string | undefined) => Promise<JobTicket>,
): Promise<Response> {
  const { jobs } = call.options;
  const key = idempotencyKey(call.request);
  const { waitS, warnings } = preferredWait(call.request);
  const ticket = withMore(await submit(await call.body(), key), warnings);
  const headers: Record<string, string> = { Location: `/job?id=${encodeURIComponent(ticket.id)}` };
  if (waitS === undefined) return success(ticket, "success", 201, headers);
  call.doneWithBody();
  const record = await waited(call, () => jobs.waitFor(ticket.id, waitS * 1000, call.request.signal));
  headers["Preference-Applied"] = `wait=${waitS}`;
  return sendData(objectData(record ? withWarnings(record, ticket) : ticket), call, {
    status: 201,
    headers,
  });
}

/** Shorter than this, the key is accepted without another look anyway. */
const shortMs = 5_000;

/** @throws ServiceError Forbidden: a key that was revoked during the wait gets no result */
export async function waited<T>(call: Call, wait: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const result = await wait();
  if (performance.now() - from < shortMs || (await call.isInForce())) return result;
  throw new ServiceError("Forbidden", "The API key was revoked or has expired while this request waited.");
}

/** Combines warnings of the job and of the request. */
function withWarnings<T extends { warnings?: string[] }>(record: T, ticket: JobTicket): T {
  const warnings = new Set([...(record.warnings ?? []), ...(ticket.warnings ?? [])]);
  return warnings.size > 0 ? { ...record, warnings: [...warnings] } : record;
}

export async function submitBulk(
  call: Call,
  submit: (body: Body, key: string | undefined) => Promise<BulkAnswer>,
): Promise<Response> {
  const { jobs } = call.options;
  const key = idempotencyKey(call.request);
  const body = await call.unreadBody();
  const { waitS, warnings } = preferredWait(call.request);
  const answer = withMore(await submit(body, key), warnings);
  if (waitS === undefined) return sendData(rawData(textOf(answer)), call);
  call.doneWithBody();
  await waited(call, () => jobs.waitForBulk(answer.bulk_id, waitS * 1000, call.request.signal));
  return sendData(rawData(JSON.stringify(await withStatuses(answer, call))), call, {
    headers: { "Preference-Applied": `wait=${waitS}` },
  });
}

/** A repeated submission returns the same object: it is serialized once. */
const texts = new WeakMap<BulkAnswer, string>();

function textOf(answer: BulkAnswer): string {
  const text = texts.get(answer) ?? JSON.stringify(answer);
  texts.set(answer, text);
  return text;
}

/**
 * Statuses after the wait. Results of thousands of devices are not collected here: `GET /job?bulk_id=` streams them.
 */
async function withStatuses(answer: BulkAnswer, call: Call): Promise<BulkAnswer> {
  const statuses = await call.options.jobs.statusesOf(answer.succeeded.map(({ id }) => id));
  const succeeded = answer.succeeded.map((device) => ({
    ...device,
    status: statuses.get(device.id) ?? device.status,
  }));
  return { ...answer, succeeded };
}

export function idempotencyKey(request: Request): string | undefined {
  const key = request.headers.get("idempotency-key");
  if (key === "") throw new ServiceError("BadRequest", "The Idempotency-Key is empty.");
  return key ?? undefined;
}

/** `Prefer: wait=20` (RFC 7240). A wait without a number of seconds is ignored, and told: nobody means that. */
export function preferredWait(request: Request): { waitS?: number; warnings: string[] } {
  const wanted = request.headers.get("prefer") ?? "";
  const match = /(?:^|[,;\s])wait\s*(?:=\s*([^,;\s]*))?\s*(?=[,;]|$)/i.exec(wanted);
  if (!match) return { warnings: [] };
  const [, digits] = /^"?(\d{1,9})"?$/.exec(match[1] ?? "") ?? [];
  if (digits === undefined)
    return {
      warnings: ["Prefer: wait was ignored: it needs a whole number of seconds, such as `Prefer: wait=60`"],
    };
  const seconds = Number(digits);
  if (seconds <= maxWaitS) return { waitS: seconds, warnings: [] };
  const text = `Prefer: wait=${seconds} exceeds the maximum wait and was reduced to ${maxWaitS} seconds`;
  return { waitS: maxWaitS, warnings: [text] };
}

function withMore<T extends { warnings?: string[] }>(answer: T, more: readonly string[]): T {
  return more.length === 0 ? answer : { ...answer, warnings: [...(answer.warnings ?? []), ...more] };
}
