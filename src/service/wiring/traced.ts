/** Instruments requests and job submissions for tracing. */
import type { Log } from "../../base/log.ts";
import { apiVersion } from "../../base/version.ts";
import type { Config } from "../../config/config.ts";
import type { HttpApp } from "../../http/port.ts";
import type { Metrics } from "../../metrics/port.ts";
import type { Store } from "../../store/port.ts";
import { createExporter } from "../../tracing/exporter.ts";
import { noTracing } from "../../tracing/none.ts";
import type { Tracing } from "../../tracing/port.ts";
import { createTracing } from "../../tracing/tracing.ts";

export function tracingOf({ values }: Config, log: Log): Tracing {
  const { otlp_url: url, otlp_headers, otlp_percent: percent, otlp_names: names } = values;
  if (url === undefined) return noTracing;
  const exporter = createExporter({
    url,
    headers: headersOf(otlp_headers?.reveal() ?? ""),
    service: {
      "service.name": "patchbay",
      "service.version": apiVersion,
      ...(values.node === undefined ? {} : { "service.instance.id": values.node }),
    },
    onState: (working, reason) =>
      working ? log.info("traces.sent_again") : log.warn("traces.not_sent", { reason }),
  });
  return createTracing({ exporter, percent, names });
}

/** `name=value` pairs. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(",").map((pair) => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ""));
}

export const tracedApp = (app: HttpApp, tracing: Tracing): HttpApp => ({
  fetch: (request, connection) =>
    tracing.request(request.headers.get("traceparent"), () => app.fetch(request, connection)),
});

export const tracedMetrics = (metrics: Metrics, tracing: Tracing): Metrics => ({
  ...metrics,
  requestAnswered(request) {
    tracing.answered(request);
    metrics.requestAnswered(request);
  },
});

export function tracedStore(store: Store, tracing: Tracing): Store {
  const { jobs } = store;
  return {
    ...store,
    jobs: {
      ...jobs,
      insert(rows, how) {
        tracing.submitted(rows.map(({ id }) => id));
        return jobs.insert(rows, how);
      },
    },
  };
}
