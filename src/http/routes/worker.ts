/** GET and DELETE /worker. */
import { ServiceError } from "../../base/errors.ts";
import type { WorkerFilter } from "../../model/worker.ts";
import type { Call } from "../call.ts";
import { omitUndefined, queryOf, requireFilter, workerQuery } from "../query.ts";
import { success } from "../respond.ts";

export async function listWorkers(call: Call): Promise<Response> {
  const filter = omitUndefined(queryOf(workerQuery, call.url));
  if (filter.select !== undefined) call.extendTimeout();
  const workers = await call.options.jobs.workers(filter, call.caller);
  if (workers.length === 0) requireKnown(filter, false);
  return success(workers);
}

export async function stopWorkers(call: Call): Promise<Response> {
  const { jobs } = call.options;
  const filter = omitUndefined(queryOf(workerQuery, call.url));
  // A filter is required, so that nothing is stopped by accident.
  requireFilter(filter, ["name", "queue", "node", "host", "select", "status"]);
  if (filter.select !== undefined) call.extendTimeout();
  const stopped = await jobs.stopWorkers(filter, call.caller);
  if (stopped.length === 0 && filter.name !== undefined) {
    // A worker that has already stopped is known, but there is nothing to stop.
    requireKnown(filter, (await jobs.workers({ name: filter.name }, call.caller)).length > 0);
  }
  return success(stopped);
}

function requireKnown({ name }: WorkerFilter, exists: boolean): void {
  if (name !== undefined && !exists) throw new ServiceError("NotFound", "There is no worker with that name.");
}
