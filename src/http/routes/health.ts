/** GET /health, /livez, /readyz and /audit. */
import type { Jobs } from "../../jobs/port.ts";
import type { Call } from "../call.ts";
import { auditQuery, omitUndefined, queryOf } from "../query.ts";
import { failed, success } from "../respond.ts";

export function health(): Response {
  return success("ok");
}

/** Liveness: the process responds; nothing else is checked. */
export function live(): Response {
  return success("ok");
}

/** The check writes to the store and needs no key, so all requests within this time share one result. */
const lookMs = 250;

/** Readiness: whether a submission would be accepted now. */
export function createReadiness(jobs: Pick<Jobs, "ready">): () => Promise<Response> {
  let check: Promise<{ ready: boolean; reasons: string[] }> | undefined;
  let endedAt: number | undefined;

  async function fresh() {
    try {
      return await jobs.ready();
    } finally {
      endedAt = performance.now();
    }
  }

  return async () => {
    if (check === undefined || (endedAt !== undefined && performance.now() - endedAt > lookMs)) {
      endedAt = undefined;
      check = fresh();
    }
    const { ready, reasons } = await check;
    return ready ? success("ok") : failed(503, "not ready", reasons, { "Retry-After": "1" });
  };
}

export async function audit(call: Call): Promise<Response> {
  const { limit = 100, ...filter } = queryOf(auditQuery, call.url);
  call.reservation.hold(call.options.admission.lists.take(call.caller.keyId));
  const { entries, next_cursor } = await call.options.jobs.audit(
    { ...omitUndefined(filter), limit },
    call.caller,
  );
  return success(entries, "success", 200, next_cursor === null ? {} : { "X-Next-Cursor": next_cursor });
}
