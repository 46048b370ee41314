/** GET and DELETE /detached-task. */
import type { Call } from "../call.ts";
import {
  detachedOutputQuery,
  detachedTaskQuery,
  endDetachedQuery,
  isTrue,
  omitUndefined,
  queryOf,
} from "../query.ts";
import { success } from "../respond.ts";

export async function listDetachedTasks(call: Call): Promise<Response> {
  const { limit, cursor, ...filter } = queryOf(detachedTaskQuery, call.url);
  const page = omitUndefined({ limit, cursor });
  const { tasks, next } = await call.options.jobs.detachedTasks(omitUndefined(filter), call.caller, page);
  return success(tasks, "success", 200, next === undefined ? {} : { "X-Next-Cursor": next });
}

export async function readDetachedTask(call: Call): Promise<Response> {
  const { offset } = queryOf(detachedOutputQuery, call.url);
  // Logging in to its server may be slow.
  call.extendTimeout();
  const { caller, request, name = "" } = call;
  return success(await call.options.jobs.readDetachedTask(name, offset, caller, request.signal));
}

export async function endDetachedTask(call: Call): Promise<Response> {
  const { force } = queryOf(endDetachedQuery, call.url);
  call.extendTimeout();
  const { caller, request, name = "" } = call;
  return success(await call.options.jobs.endDetachedTask(name, isTrue(force), caller, request.signal));
}
