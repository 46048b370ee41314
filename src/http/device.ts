/** POST /device/execute, /device/bulk, /device/test-connection. */
import { ServiceError } from "../base/errors.ts";
import { jsonWithRaw } from "../base/json.ts";
import type { BulkAnswer } from "../jobs/api.ts";
import type { JobStatus, JobTicket } from "../model/job.ts";
import type { Call } from "./call.ts";
import { success, successRaw } from "./respond.ts";

const longestWaitS = 600;

export async function execute(call: Call): Promise<Response> {
  const { jobs } = call.options;
  const key = idempotencyKey(call.request);
  const ticket = await jobs.submit(await call.body(), call.caller, key);
  const headers: Record<string, string> = { Location: `/job?id=${encodeURIComponent(ticket.id)}` };
  const waitS = preferredWait(call.request);
  if (waitS === undefined) return success(ticket, "success", 201, headers);
  call.extendTimeout();
  const record = await jobs.waitFor(ticket.id, waitS * 1000, call.request.signal);
  headers["Preference-Applied"] = `wait=${waitS}`;
  return successRaw(jsonWithRaw(record ? withWarnings(record, ticket) : ticket), 201, headers);
}

function withWarnings<T extends object>(record: T, ticket: JobTicket): T & { warnings?: string[] } {
  return ticket.warnings ? { ...record, warnings: ticket.warnings } : record;
}

export async function bulk(call: Call): Promise<Response> {
  const { jobs } = call.options;
  const key = idempotencyKey(call.request);
  const answer = await jobs.bulk(await call.body(), call.caller, key);
  const waitS = preferredWait(call.request);
  if (waitS === undefined) return success(answer);
  call.extendTimeout();
  await jobs.waitForBulk(answer.bulk_id, waitS * 1000, call.request.signal);
  return success(await asTheyAre(answer, call), "success", 200, { "Preference-Applied": `wait=${waitS}` });
}

/** The statuses after the wait. Results of thousands of devices are not gathered here: `GET /job?bulk_id=` streams them. */
async function asTheyAre(answer: BulkAnswer, call: Call): Promise<BulkAnswer> {
  const statuses = new Map<string, JobStatus>();
  for await (const page of call.options.jobs.list({ bulk_id: answer.bulk_id }, call.caller, {}))
    for (const job of page) statuses.set(job.id, job.status);
  const succeeded = answer.succeeded.map((one) => ({ ...one, status: statuses.get(one.id) ?? one.status }));
  return { ...answer, succeeded };
}

export async function testConnection(call: Call): Promise<Response> {
  const body = await call.body();
  call.extendTimeout();
  const answer = await call.options.jobs.testConnection(body, call.caller, call.request.signal);
  return success(answer, answer.success ? "Connection test completed" : "Connection test failed");
}

function idempotencyKey(request: Request): string | undefined {
  const key = request.headers.get("idempotency-key");
  if (key === "") throw new ServiceError("BadRequest", "The Idempotency-Key is empty.");
  return key ?? undefined;
}

/** `Prefer: wait=20`; a wait that is not a number is no preference. */
function preferredWait(request: Request): number | undefined {
  const found = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})(?![\w.])/i.exec(request.headers.get("prefer") ?? "");
  return found ? Math.min(Number(found[1]), longestWaitS) : undefined;
}
