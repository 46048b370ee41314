/** POST /device/execute, /device/bulk, /device/test-connection. */
import type { JobTicket } from "../model/job.ts";
import type { Call } from "./app.ts";
import { readBody } from "./body.ts";
import { success } from "./respond.ts";

const longestWaitS = 600;

export async function execute(call: Call): Promise<Response> {
  const { jobs, maxBodyBytes } = call.options;
  const body = await readBody(call.request, maxBodyBytes);
  const ticket = await jobs.submit(body, call.caller, idempotencyKey(call));
  const headers: Record<string, string> = { Location: `/job?id=${ticket.id}` };
  const waitS = preferredWait(call.request);
  if (waitS === undefined) return success(ticket, "success", 201, headers);
  call.extendTimeout();
  const record = await jobs.waitFor(ticket.id, waitS * 1000, call.request.signal);
  headers["Preference-Applied"] = `wait=${waitS}`;
  return success(record ? withWarnings(record, ticket) : ticket, "success", 201, headers);
}

function withWarnings<T extends object>(record: T, ticket: JobTicket): T & { warnings?: string[] } {
  return ticket.warnings ? { ...record, warnings: ticket.warnings } : record;
}

export async function bulk(call: Call): Promise<Response> {
  const { jobs, maxBodyBytes } = call.options;
  const body = await readBody(call.request, maxBodyBytes);
  const answer = await jobs.bulk(body, call.caller, idempotencyKey(call));
  const waitS = preferredWait(call.request);
  if (waitS !== undefined) {
    call.extendTimeout();
    await jobs.waitForBulk(answer.bulk_id, waitS * 1000, call.request.signal);
  }
  return success(answer);
}

export async function testConnection(call: Call): Promise<Response> {
  const { jobs, maxBodyBytes } = call.options;
  const body = await readBody(call.request, maxBodyBytes);
  call.extendTimeout();
  const answer = await jobs.testConnection(body, call.caller, call.request.signal);
  return success(answer, answer.success ? "Connection test completed" : "Connection test failed");
}

function idempotencyKey(call: Call): string | undefined {
  return call.request.headers.get("idempotency-key") ?? undefined;
}

/** `Prefer: wait=20`; a wait that is not a number is no preference. */
function preferredWait(request: Request): number | undefined {
  const found = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(request.headers.get("prefer") ?? "");
  return found ? Math.min(Number(found[1]), longestWaitS) : undefined;
}
