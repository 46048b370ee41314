/** GET /host-key, DELETE /host-key/{host}, POST /host-key/{host}/accept. */
import type { Call } from "../call.ts";
import { forgetHostKeyQuery, hostKeyQuery, queryOf } from "../query.ts";
import { success } from "../respond.ts";

export async function listHostKeys(call: Call): Promise<Response> {
  const { host } = queryOf(hostKeyQuery, call.url);
  return success(await call.options.jobs.listHostKeys(host, call.caller));
}

export async function forgetHostKey(call: Call): Promise<Response> {
  const { options, caller, name = "" } = call;
  const { port } = queryOf(forgetHostKeyQuery, call.url);
  return success({ host: name, forgotten: await options.jobs.forgetHostKey(name, port, caller) });
}

export async function acceptHostKey(call: Call): Promise<Response> {
  const { options, caller, name = "" } = call;
  return success(await options.jobs.acceptHostKey(name, await call.body(), caller));
}
