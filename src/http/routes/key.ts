/** GET, POST, PATCH and DELETE /key. */
import { invalid } from "../../base/issues.ts";
import type { Call } from "../call.ts";
import { keyQuery, queryOf, requireFilter } from "../query.ts";
import { success } from "../respond.ts";

export async function listKeys(call: Call): Promise<Response> {
  return success(await call.options.jobs.listKeys(call.caller));
}

export async function addKey(call: Call): Promise<Response> {
  return success(await call.options.jobs.addKey(await call.body(), call.caller), "success", 201);
}

export async function changeKey(call: Call): Promise<Response> {
  const key = namedKey(call);
  await call.options.jobs.changeKey(key, await call.body(), call.caller);
  return success(key);
}

export async function revokeKey(call: Call): Promise<Response> {
  const key = namedKey(call);
  await call.options.jobs.revokeKey(key, call.caller);
  return success(key);
}

function namedKey(call: Call): string {
  const { id, name } = queryOf(keyQuery, call.url);
  requireFilter({ ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) }, [
    "id",
    "name",
  ]);
  if (id !== undefined && name !== undefined) throw invalid("name", "excludes id");
  return id ?? name ?? "";
}
