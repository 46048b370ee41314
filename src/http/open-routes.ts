/** Routes that need no API key and do not count as requests in progress. */
import type { HttpOptions } from "./port.ts";
import { queryOf } from "./query.ts";
import { definitions } from "./route-table.ts";
import { favicon } from "./routes/console.ts";
import { descriptionQuery, docsFiles, docsPage, type OpenRoute, openApi } from "./routes/docs.ts";
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
    const describe = (_request: Request, url: URL) =>
      openApi({ options }, definitions, queryOf(descriptionQuery, url));
    open.set("/openapi.json", Object.assign(describe, { query: descriptionQuery }));
    open.set("/docs", docsPage);
  }
  return open;
}
