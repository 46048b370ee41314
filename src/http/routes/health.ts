/** GET /health, /livez, /readyz and /audit. */
import type { Jobs } from "../../jobs/port.ts";
import type { Call } from "../call.ts";
import { auditQuery, omitUndefined, queryOf } from "../query.ts";
import { failed, success } from "../respond.ts";

export function health(): Response {
  return success("ok");
}

/** The process answers; nothing else is looked at. */
export function live(): Response {
  return success("ok");
}

/** Looking writes to the store, and no key is needed to ask: so all who ask in this time share one look. */
const lookMs = 250;

/** Whether a submission would be taken now. */
export function createReadiness(jobs: Pick<Jobs, "ready">): () => Promise<Response> {
  let look: Promise<{ ready: boolean; reasons: string[] }> | undefined;
  let endedAt: number | undefined;

  async function fresh() {
    try {
      return await jobs.ready();
    } finally {
      endedAt = performance.now();
    }
  }

  return async () => {
    if (look === undefined || (endedAt !== undefined && performance.now() - endedAt > lookMs)) {
      endedAt = undefined;
      look = fresh();
    }
    const { ready, reasons } = await look;
    return ready ? success("ok") : failed(503, "not ready", reasons, { "Retry-After": "1" });
  };
}

export async function audit(call: Call): Promise<Response> {
  const { limit = 100, ...filter } = queryOf(auditQuery, call.url);
  const { entries, next_cursor } = await call.options.jobs.audit(
    { ...omitUndefined(filter), limit },
    call.caller,
  );
  return success(entries, "success", 200, next_cursor === null ? {} : { "X-Next-Cursor": next_cursor });
}
