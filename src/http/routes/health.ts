/** GET /health, /livez and /readyz. */
import * as v from "valibot";
import type { Jobs } from "../../jobs/port.ts";
import { failed, success, successBeside } from "../answer/respond.ts";
import { route } from "../route.ts";

export const healthRoutes = [
  route({
    id: "checkHealth",
    method: "GET",
    path: "/health",
    scope: "read",
    summary: "Health check",
    answer: v.literal("ok"),
    handle: () => "ok" as const,
  }),
];

/** Liveness: the process responds; nothing else is checked. */
export function live(): Response {
  return success("ok");
}

/** The check writes to the store and needs no key, so all requests within this time share one result. */
const lookMs = 250;

/** Readiness: whether a submission would be accepted now. */
export function createReadyAnswer(jobs: Pick<Jobs, "ready">): () => Promise<Response> {
  let check: ReturnType<Jobs["ready"]> | undefined;
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
    const { ready, reasons, doubts } = await check;
    if (!ready) return failed(503, "not ready", reasons, { "Retry-After": "1" });
    return doubts.length === 0 ? success("ok") : successBeside("ok", { warnings: doubts });
  };
}
