/** GET /health, /livez, /readyz and /audit. */
import type { Jobs } from "../jobs/api.ts";
import type { Call } from "./app.ts";
import { auditQuery, present, queryOf } from "./query.ts";
import { success } from "./respond.ts";

export function health(): Response {
  return success("ok");
}

/** The process answers; nothing else is looked at. */
export function live(): Response {
  return success("ok");
}

/** Whether a submission would be taken now. */
export async function ready(jobs: Jobs): Promise<Response> {
  const { ready, reasons } = await jobs.ready();
  if (ready) return success("ok");
  const body = { code: -1, message: "not ready", data: reasons };
  return new Response(JSON.stringify(body), {
    status: 503,
    headers: { "Content-Type": "application/json; charset=utf-8", "Retry-After": "1" },
  });
}

export async function audit(call: Call): Promise<Response> {
  const { limit = 200, ...filter } = queryOf(auditQuery, call.url);
  const { entries, next_cursor } = await call.options.jobs.audit({ ...present(filter), limit }, call.caller);
  return success(entries, "success", 200, next_cursor === null ? {} : { "X-Next-Cursor": next_cursor });
}
