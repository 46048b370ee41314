/** GET /settings and GET /licenses: the settings of this service and the licences of its parts. */
import { requireScope } from "../../auth/caller.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Call } from "../call.ts";
import { success } from "../respond.ts";

/** Contains paths and addresses of the service, so keys restricted to some hosts may not read it. */
export function listSettings({ caller, options }: Call): Response {
  requireScope(caller, "admin");
  if (caller.hosts.length > 0)
    throw new ServiceError("Forbidden", "Reading settings needs an admin key that may reach all hosts.");
  return success(options.settings());
}

export async function listLicences({ options }: Call): Promise<Response> {
  return success(await options.licences());
}
