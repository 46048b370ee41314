/** GET /metrics. */
import type { Call } from "../call.ts";

export async function metrics({ options: { metrics } }: Pick<Call, "options">): Promise<Response> {
  return new Response(await metrics.text(), { headers: { "Content-Type": metrics.contentType } });
}
