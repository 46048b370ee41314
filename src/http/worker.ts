/** GET and DELETE /worker. */
import { ServiceError } from "../base/errors.ts";
import type { Call } from "./app.ts";
import { present, queryOf, workerQuery } from "./query.ts";
import { success } from "./respond.ts";

export async function listWorkers(call: Call): Promise<Response> {
  return success(await call.options.jobs.workers(present(queryOf(workerQuery, call.url)), call.caller));
}

export async function stopWorkers(call: Call): Promise<Response> {
  const filter = present(queryOf(workerQuery, call.url));
  if (Object.keys(filter).length === 0) {
    // Nothing is stopped by accident.
    const issues = [{ path: "name", message: "one of name, queue, node, host and status is required" }];
    throw new ServiceError("Validation", "Validation Error", { issues });
  }
  return success(await call.options.jobs.stopWorkers(filter, call.caller));
}
