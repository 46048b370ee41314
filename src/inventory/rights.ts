/** Permissions: writes change what selectors match, so they need a key without host limits. */
import { requireScope } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { mayReach } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import type { EffectiveDevice } from "./port.ts";

/** @throws ServiceError Forbidden */
export function requireWriter(caller: Caller): void {
  requireScope(caller, "admin");
  if (caller.hosts.length > 0)
    throw new ServiceError(
      "Forbidden",
      "Changing the inventory needs an admin key that may reach all hosts.",
    );
}

export function maySeeDevice(caller: Caller, { host }: Pick<EffectiveDevice, "host">): boolean {
  return mayReach(caller, host);
}
