/** Who calls: an API key becomes a Caller, and its scope says what it may ask for. */
import { ServiceError } from "../base/errors.ts";
import { type Caller, type Scope, scopes } from "./port.ts";

/** @throws ServiceError Forbidden */
export function requireScope(caller: Caller, needed: Scope): void {
  if (scopes.indexOf(caller.scope) >= scopes.indexOf(needed)) return;
  throw new ServiceError("Forbidden", `This API key has the scope "${caller.scope}"; "${needed}" is needed.`);
}

/** An admin key that may reach all hosts: what other keys have made is its concern, too. */
export function managesAll({ scope, hosts }: Caller): boolean {
  return scope === "admin" && hosts.length === 0;
}
