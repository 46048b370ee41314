/** POST /template/render[/{name}] and /template/parse[/{name}]. */
import type { Call } from "./app.ts";
import { readBody } from "./body.ts";
import { success, successRaw } from "./respond.ts";

export async function render(call: Call): Promise<Response> {
  const { jobs, maxBodyBytes } = call.options;
  const body = await readBody(call.request, maxBodyBytes);
  call.extendTimeout();
  return success(await jobs.render(body, call.name, call.caller, call.request.signal));
}

export async function parse(call: Call): Promise<Response> {
  const { jobs, maxBodyBytes } = call.options;
  const body = await readBody(call.request, maxBodyBytes);
  call.extendTimeout();
  return successRaw(await jobs.parse(body, call.name, call.caller, call.request.signal));
}
