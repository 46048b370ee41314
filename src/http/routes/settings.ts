/** GET /settings and GET /licenses: what this service is set to, and what it is made of. */
import { requireScope } from "../../auth/caller.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Call } from "../call.ts";
import { success } from "../respond.ts";

/** Paths and addresses of the service itself: not for a key that is limited to some devices. */
export function listSettings({ caller, options }: Call): Response {
  requireScope(caller, "admin");
  if (caller.hosts.length > 0)
    throw new ServiceError("Forbidden", "Settings are shown to admin keys that may reach all hosts.");
  return success(options.settings());
}

export async function listLicences({ options }: Call): Promise<Response> {
  return success(await options.licences());
}
