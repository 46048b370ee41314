/** GET /metrics. */
import { text } from "../../api/schema.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Call } from "../call.ts";
import { route } from "../route.ts";

export const metricRoutes = [
  route({
    id: "getMetrics",
    method: "GET",
    path: "/metrics",
    scope: "read",
    summary: "Prometheus metrics of this node; requires a key that may reach all hosts",
    answer: text,
    stream: ["text/plain"],
    handle({ caller, options }) {
      // Metrics cover all keys and cannot be split by host.
      if (caller.hosts.length > 0)
        throw new ServiceError(
          "Forbidden",
          "Metrics cover the whole node: reading them needs a key that may reach all hosts.",
        );
      return openMetrics({ options });
    },
  }),
];

/** Without a key, if the settings allow it. */
export async function openMetrics({ options: { metrics } }: Pick<Call, "options">): Promise<Response> {
  return new Response(await metrics.text(), { headers: { "Content-Type": metrics.contentType } });
}
