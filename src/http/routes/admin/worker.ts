/** GET and DELETE /worker. */

import * as v from "valibot";
import { workerRecord } from "../../../api/admin/worker.ts";
import { type WorkerFilter, workerFilter } from "../../../api/filters.ts";
import { ServiceError } from "../../../base/errors.ts";
import { omitUndefined, requireFilter } from "../../query.ts";
import { route } from "../../route.ts";

export const workerRoutes = [
  route({
    id: "listWorkers",
    method: "GET",
    path: "/worker",
    scope: "read",
    summary: "Query workers",
    query: workerFilter,
    answer: v.array(workerRecord),
    fails: ["404"],
    async handle(call, query) {
      const filter = omitUndefined(query);
      const workers = await call.options.admin.workers(filter, call.caller);
      if (workers.length === 0) requireKnown(filter, false);
      return workers;
    },
  }),
  route({
    id: "stopWorkers",
    method: "DELETE",
    path: "/worker",
    scope: "admin",
    summary: "Stop workers",
    query: workerFilter,
    answer: v.pipe(v.array(v.string()), v.description("Names of the stopped workers")),
    fails: ["404"],
    async handle(call, query) {
      const { admin } = call.options;
      const filter = omitUndefined(query);
      // A filter is required, so that nothing is stopped by accident.
      requireFilter(filter, Object.keys(workerFilter.entries));
      const stopped = await admin.stopWorkers(filter, call.caller);
      if (stopped.length === 0 && filter.name !== undefined) {
        // A worker that has already stopped is known, but there is nothing to stop.
        requireKnown(filter, (await admin.workers({ name: filter.name }, call.caller)).length > 0);
      }
      return stopped;
    },
  }),
];

function requireKnown({ name }: WorkerFilter, exists: boolean): void {
  if (name !== undefined && !exists) throw new ServiceError("NotFound", "There is no worker with that name.");
}
