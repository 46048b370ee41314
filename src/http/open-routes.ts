/** Routes that need no API key and do not count as requests in progress. */
import type { HttpOptions } from "./port.ts";
import { definitions } from "./route-table.ts";
import { favicon } from "./routes/console.ts";
import { docsFiles, docsPage, type OpenRoute, openApi } from "./routes/docs.ts";
import { createReadiness, live } from "./routes/health.ts";
import { openMetrics } from "./routes/metrics.ts";

/** By path; each handles GET and HEAD. */
export function openRoutes(options: HttpOptions): ReadonlyMap<string, OpenRoute> {
  const open = new Map<string, OpenRoute>([
    ["/favicon.ico", favicon],
    ["/livez", live],
    ["/readyz", createReadiness(options.jobs)],
    ...docsFiles(options),
  ]);
  if (options.openMetrics) open.set("/metrics", () => openMetrics({ options }));
  if (options.openDescription) {
    open.set("/openapi.json", () => openApi({ options }, definitions));
    open.set("/docs", docsPage);
  }
  return open;
}
