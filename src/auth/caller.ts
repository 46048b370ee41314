/** The caller of a request: an API key and the rights of its scope. */
import { ServiceError } from "../base/errors.ts";
import { type Caller, type Scope, scopes } from "./port.ts";

/** @throws ServiceError Forbidden */
export function requireScope(caller: Caller, needed: Scope): void {
  if (scopes.indexOf(caller.scope) >= scopes.indexOf(needed)) return;
  throw new ServiceError("Forbidden", `This API key has the scope "${caller.scope}"; "${needed}" is needed.`);
}

/**
 * Whether this admin key sees what other keys created. Acting in their place needs their rights as well: see
 * auth/rights.
 */
export function seesAll({ scope, hosts }: Caller): boolean {
  return scope === "admin" && hosts.length === 0;
}

/**
 * The key of limits, queues and turns: a person has one share, however many keys and sessions; a key of a machine has
 * its own.
 */
export function shareOf({ keyId, person }: Pick<Caller, "keyId" | "person">): string {
  return person?.id ?? keyId;
}
