/** Traces requests: request -> job -> attempt -> session and commands, sampled by the settings. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Exporter } from "./exporter.ts";
import type { Span } from "./otlp.ts";
import type { Tracing } from "./port.ts";
import { newSpanId, newTraceId, readTraceparent } from "./traceparent.ts";

export interface TracingOptions {
  readonly exporter: Exporter;
  /** Sampling rate of traces that start here, in percent. */
  readonly percent: number;
  /** Whether spans include device names and commands. */
  readonly names: boolean;
  /** Milliseconds since 1970. */
  now?(): number;
  random?(): number;
}

interface Open {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly startMs: number;
}

interface OpenRequest extends Open {
  answered?: Parameters<Tracing["answered"]>[0];
}

/** Maximum number of jobs whose trace context is kept; a forgotten job starts a new trace. */
const maxJobs = 20_000;

export function createTracing(options: TracingOptions): Tracing {
  const { exporter, percent, names, random = Math.random } = options;
  const now = options.now ?? (() => performance.timeOrigin + performance.now());
  const requests = new AsyncLocalStorage<OpenRequest>();
  const jobs = new Map<string, Open>();

  const isChosen = () => random() * 100 < percent;
  const begin = (traceId: string, parentSpanId: string | undefined): Open => ({
    traceId,
    parentSpanId,
    spanId: newSpanId(),
    startMs: now(),
  });

  function end(open: Open, span: Pick<Span, "name" | "kind" | "attributes" | "error">): void {
    exporter.add({ ...open, ...span, endMs: now() });
  }

  function rootOf(traceparent: string | null): OpenRequest | undefined {
    const given = readTraceparent(traceparent);
    if (!(given?.sampled ?? isChosen())) return undefined;
    return begin(given?.traceId ?? newTraceId(), given?.spanId);
  }

  return {
    async request(traceparent, work) {
      const open = rootOf(traceparent);
      if (open === undefined) return work();
      try {
        return await requests.run(open, work);
      } finally {
        const { method = "", route = "other", status = 0 } = open.answered ?? {};
        const attributes = {
          "http.request.method": method,
          "http.route": route,
          "http.response.status_code": status,
        };
        const error = status >= 500 ? String(status) : undefined;
        end(open, { name: `${method} ${route}`, kind: "server", attributes, error });
      }
    },
    answered(request) {
      const open = requests.getStore();
      if (open !== undefined) open.answered = request;
    },
    submitted(ids) {
      const request = requests.getStore();
      if (request === undefined) return;
      for (const id of ids) {
        if (jobs.size >= maxJobs) return;
        jobs.set(id, begin(request.traceId, request.spanId));
      }
    },
    attempt({ id, number, driver, operation, platform, host }) {
      const job = jobs.get(id);
      if (job === undefined && !isChosen()) return undefined;
      const open = begin(job?.traceId ?? newTraceId(), job?.spanId);
      const named = names ? { "server.address": host } : {};
      return {
        step({ name, startMs, endMs, error, reused, command }) {
          const attributes = {
            ...(reused === undefined ? {} : { "patchbay.session.reused": reused }),
            ...(names && command !== undefined ? { "patchbay.command": command.slice(0, 256) } : {}),
          };
          const { traceId, spanId: parentSpanId } = open;
          const ids = { traceId, spanId: newSpanId(), parentSpanId };
          exporter.add({ ...ids, name, kind: "client", startMs, endMs, attributes, error });
        },
        end(error) {
          const attributes = {
            "patchbay.job.id": id,
            "patchbay.attempt": number,
            "patchbay.driver": driver,
            "patchbay.operation": operation,
            "patchbay.platform": platform,
            ...named,
          };
          end(open, { name: "attempt", kind: "internal", attributes, error });
        },
      };
    },
    ended(id, status, error) {
      const job = jobs.get(id);
      if (job === undefined) return;
      jobs.delete(id);
      const attributes = { "patchbay.job.id": id, "patchbay.job.status": status };
      end(job, { name: "job", kind: "internal", attributes, error });
    },
    counts: exporter.counts,
    stop: exporter.stop,
  };
}
