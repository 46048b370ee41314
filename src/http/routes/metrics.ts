/** GET /metrics. */
import { ServiceError } from "../../base/errors.ts";
import type { Call } from "../call.ts";

/** Metrics cover all keys and cannot be split by host. */
export function metrics({ caller, options }: Pick<Call, "caller" | "options">): Promise<Response> {
  if (caller.hosts.length > 0)
    throw new ServiceError(
      "Forbidden",
      "Metrics cover the whole node: reading them needs a key that may reach all hosts.",
    );
  return openMetrics({ options });
}

/** Without a key, if the settings allow it. */
export async function openMetrics({ options: { metrics } }: Pick<Call, "options">): Promise<Response> {
  return new Response(await metrics.text(), { headers: { "Content-Type": metrics.contentType } });
}
