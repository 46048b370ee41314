/** Makes requests wait while the service starts, which takes long if the store is unreachable. */

import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { createTimeBudget } from "../base/time/time-budget.ts";
import { failure } from "../http/answer/respond.ts";
import type { HttpApp } from "../http/port.ts";
import { requestIdOf } from "../http/request/request-facts.ts";
import type { ServeOptions } from "../runtime/net/serve.ts";

/** @param longestMs maximum wait for start and store together. */
export function createStartupGate(app: Promise<HttpApp>, log: Log, maxMs: number): ServeOptions["fetch"] {
  let ready: HttpApp | undefined;
  return async (request, from, limit) => {
    const budget = createTimeBudget(maxMs);
    // Deducts this wait from the time budget for the store, so that the caller gets an answer in time.
    ready ??= await budget.wait(app).catch(() => undefined);
    return ready?.fetch(request, { from, budget, ...limit }) ?? starting(request, log);
  };
}

function starting(request: Request, log: Log): Response {
  const error = new ServiceError("Unavailable", "The service is starting.", { retryAfter: 1 });
  return failure(error, log, { request: requestIdOf(request), sent: () => [] });
}
