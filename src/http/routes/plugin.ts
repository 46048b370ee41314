/** GET /plugin. */
import type { Call } from "../call.ts";
import { success } from "../respond.ts";

export async function listPlugins(call: Call): Promise<Response> {
  return success(await call.options.jobs.listPlugins(call.caller));
}
