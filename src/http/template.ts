/** POST /template/render[/{name}] and /template/parse[/{name}]. */
import type { Call } from "./call.ts";
import { success, successRaw } from "./respond.ts";

export async function render(call: Call): Promise<Response> {
  const body = await call.body();
  call.extendTimeout();
  return success(await call.options.jobs.render(body, call.name, call.caller, call.request.signal));
}

export async function parse(call: Call): Promise<Response> {
  const body = await call.body();
  call.extendTimeout();
  return successRaw(await call.options.jobs.parse(body, call.name, call.caller, call.request.signal));
}
