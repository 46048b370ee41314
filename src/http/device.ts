/** POST /device/execute, /device/bulk, /device/test-connection. */
import { ServiceError } from "../base/errors.ts";
import { jsonWithRaw } from "../base/json.ts";
import type { BulkAnswer } from "../jobs/api.ts";
import type { JobTicket } from "../model/job.ts";
import type { Call } from "./call.ts";
import { success } from "./respond.ts";
import { sendData } from "./sending.ts";

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
  return sendData(jsonWithRaw(record ? withWarnings(record, ticket) : ticket), call, {
    status: 201,
    headers,
  });
}

function withWarnings<T extends object>(record: T, ticket: JobTicket): T & { warnings?: string[] } {
  return ticket.warnings ? { ...record, warnings: ticket.warnings } : record;
}

export async function bulk(call: Call): Promise<Response> {
  const { jobs } = call.options;
  const key = idempotencyKey(call.request);
  const body = await call.unreadBody();
  // Thousands of devices take their time, and wait for the bulks of others.
  call.extendTimeout();
  const answer = await jobs.bulk(body, call.caller, key, call.request.signal);
  const waitS = preferredWait(call.request);
  if (waitS === undefined) return sendData(JSON.stringify(answer), call);
  await jobs.waitForBulk(answer.bulk_id, waitS * 1000, call.request.signal);
  return sendData(JSON.stringify(await asTheyAre(answer, call)), call, {
    headers: { "Preference-Applied": `wait=${waitS}` },
  });
}

/** The statuses after the wait. Results of thousands of devices are not gathered here: `GET /job?bulk_id=` streams them. */
async function asTheyAre(answer: BulkAnswer, call: Call): Promise<BulkAnswer> {
  const statuses = await call.options.jobs.statusesOf(answer.succeeded.map(({ id }) => id));
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
