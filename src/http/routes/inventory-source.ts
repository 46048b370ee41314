/** /inventory/source: sources that devices are imported from, and a manual sync. */
import { stringifyExact } from "../../base/json/exact-json.ts";
import type { Call } from "../call.ts";
import { rawData } from "../json-data.ts";
import { conditionOf, etagOf } from "../precondition.ts";
import { isTrue, queryOf } from "../query.ts";
import { syncQuery } from "../query-exchange.ts";
import { success } from "../respond.ts";
import { sendData } from "../send-answer.ts";

export async function listSources(call: Call): Promise<Response> {
  const sources = await call.options.sources.list(call.caller);
  return sendData(rawData(JSON.stringify(sources)), call, { repeatable: true });
}

export async function readSource(call: Call): Promise<Response> {
  const { record, version } = await call.options.sources.read(call.name ?? "", call.caller);
  return success(record, "success", 200, etagOf(version));
}

export async function putSource(call: Call): Promise<Response> {
  const { value } = await call.body();
  const { options, caller, name = "" } = call;
  const { record, version, added } = await options.sources.put(name, value, caller, conditionOf(call));
  return success(record, "success", added ? 201 : 200, etagOf(version));
}

export async function removeSource(call: Call): Promise<Response> {
  await call.options.sources.remove(call.name ?? "", call.caller, conditionOf(call));
  return success({ name: call.name });
}

export async function syncSource(call: Call): Promise<Response> {
  const dryRun = isTrue(queryOf(syncQuery, call.url).dry_run);
  call.extendTimeout();
  const { signal } = call.request;
  const { warnings, run, ...changes } = await call.options.sources.sync(
    call.name ?? "",
    { dryRun, signal },
    call.caller,
  );
  return sendData(rawData(stringifyExact({ ...run, ...changes })), call, { warnings });
}
