/** GET, POST and DELETE /key. */
import { ServiceError } from "../../base/errors.ts";
import type { Call } from "../call.ts";
import { keyQuery, queryOf, requireFilter } from "../query.ts";
import { success } from "../respond.ts";

export async function listKeys(call: Call): Promise<Response> {
  return success(await call.options.jobs.listKeys(call.caller));
}

export async function addKey(call: Call): Promise<Response> {
  return success(await call.options.jobs.addKey(await call.body(), call.caller), "success", 201);
}

export async function revokeKey(call: Call): Promise<Response> {
  const { id, name } = queryOf(keyQuery, call.url);
  requireFilter({ ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) }, [
    "id",
    "name",
  ]);
  if (id !== undefined && name !== undefined)
    throw new ServiceError("Validation", "Validation Error", {
      issues: [{ path: "name", message: "excludes id" }],
    });
  await call.options.jobs.revokeKey(id ?? name ?? "", call.caller);
  return success(id ?? name);
}
