/** GET and DELETE /bulk: the jobs of one request for many devices. */
import type { Call } from "../call.ts";
import { bulkQuery, cancelBulkQuery, isTrue, omitUndefined, queryOf } from "../query.ts";
import { success } from "../respond.ts";

const usualLimit = 50;

export async function listBulks(call: Call): Promise<Response> {
  const { limit = usualLimit, cursor, ...filter } = queryOf(bulkQuery, call.url);
  const { jobs, admission } = call.options;
  const { caller } = call;
  call.reservation.hold(admission.lists.take(caller.keyId));
  const page = { limit, ...omitUndefined({ cursor }) };
  const { bulks, next } = await jobs.bulks(omitUndefined(filter), caller, page);
  return success(bulks, "success", 200, next === undefined ? {} : { "X-Next-Cursor": next });
}

export async function readBulk(call: Call): Promise<Response> {
  return success(await call.options.jobs.bulkRecord(call.name ?? "", call.caller));
}

export async function cancelBulk(call: Call): Promise<Response> {
  const { force } = queryOf(cancelBulkQuery, call.url);
  // Ten thousand take seconds.
  call.extendTimeout();
  const { caller, request, name = "" } = call;
  return success(await call.options.jobs.cancelBulk(name, isTrue(force), caller, request.signal));
}
