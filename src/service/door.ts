/** Requests that come before the service is ready wait for it a moment: with a store that is away a start takes long. */

import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { createPatience } from "../base/patience.ts";
import type { HttpApp } from "../http/port.ts";
import { requestIdOf } from "../http/request-facts.ts";
import { failure } from "../http/respond.ts";
import type { ServeOptions } from "../runtime/serve.ts";

/** @param longestMs that a request waits for the start and the store together. */
export function createDoor(app: Promise<HttpApp>, log: Log, longestMs: number): ServeOptions["fetch"] {
  let ready: HttpApp | undefined;
  return async (request, from, limit) => {
    const patience = createPatience(longestMs);
    // What was waited here is no longer there for the store: the caller is told in time whatever takes too long.
    ready ??= await patience.wait(app).catch(() => undefined);
    return ready?.fetch(request, { from, patience, ...limit }) ?? starting(request, log);
  };
}

function starting(request: Request, log: Log): Response {
  const error = new ServiceError("Unavailable", "The service is starting.", { retryAfter: 1 });
  return failure(error, log, { request: requestIdOf(request), sent: () => [] });
}
