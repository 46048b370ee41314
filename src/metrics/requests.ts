/** Metrics of API requests and store operations. */
import { Counter, Histogram, type Registry } from "prom-client";
import type { AnsweredRequest, StoreCall } from "./port.ts";

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
const storeBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];
/** Other methods share one label, because callers may send any. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export function createRequestMetrics(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: "patchbay_http_requests_total",
    help: "Requests by route and status; route is `other` where there is none.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const times = new Histogram({
    name: "patchbay_http_request_seconds",
    help: "From a request to the head of its answer, waits that it asked for included.",
    labelNames: ["route"],
    buckets: requestBuckets,
    registers,
  });
  const store = new Histogram({
    name: "patchbay_store_seconds",
    help: "Answers of the database: a read, or a transaction of writes.",
    labelNames: ["kind"],
    buckets: storeBuckets,
    registers,
  });
  const storeFaults = new Counter({
    name: "patchbay_store_faults_total",
    help: "Reads and transactions that the database refused, busy ones included; most are tried again.",
    labelNames: ["kind"],
    registers,
  });
  return {
    answered({ method, route = "other", status, seconds }: AnsweredRequest): void {
      requests.inc({ method: methods.has(method) ? method : "other", route, status });
      times.observe({ route }, seconds);
    },
    storeAnswered({ kind, seconds, failed }: StoreCall): void {
      store.observe({ kind }, seconds);
      if (failed) storeFaults.inc({ kind });
    },
  };
}
