/** GET /credential, PUT and DELETE /credential/{ref}: credentials stored on the appliance, never their values. */
import { ownSource } from "../../model/credential.ts";
import type { Call } from "../call.ts";
import { credentialQuery, queryOf } from "../query.ts";
import { success } from "../respond.ts";

export async function listCredentials(call: Call): Promise<Response> {
  return success(await call.options.jobs.listCredentials(call.caller));
}

export async function setCredential(call: Call): Promise<Response> {
  const { options, caller, name = "" } = call;
  const { source = ownSource } = queryOf(credentialQuery, call.url);
  const outcome = await options.jobs.setCredential(name, source, await call.body(), caller);
  return success({ source, ref: name }, "success", outcome === "added" ? 201 : 200);
}

export async function removeCredential(call: Call): Promise<Response> {
  const { options, caller, name = "" } = call;
  const { source = ownSource } = queryOf(credentialQuery, call.url);
  await options.jobs.removeCredential(name, source, caller);
  return success({ source, ref: name });
}
