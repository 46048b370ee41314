/** Who calls and what they may reach: an API key becomes a Caller. */
import { ServiceError } from "../base/errors.ts";
import { hostMatches } from "../base/guard.ts";

export const scopes = ["read", "operate", "admin"] as const;
export type Scope = (typeof scopes)[number];

export interface Caller {
  /** Id of the API key; part of audit entries and of fairness between callers. */
  readonly keyId: string;
  readonly name: string;
  readonly scope: Scope;
  /** Device hosts this key may reach: names, wildcards, CIDR; empty: all. */
  readonly hosts: readonly string[];
  /** Address of the caller. */
  readonly from: string | null;
}

/** @throws ServiceError Forbidden */
export function demandScope(caller: Caller, wanted: Scope): void {
  if (scopes.indexOf(caller.scope) >= scopes.indexOf(wanted)) return;
  throw new ServiceError("Forbidden", `This API key has the scope "${caller.scope}"; "${wanted}" is needed.`);
}

export function mayReach(caller: Caller, host: string): boolean {
  return caller.hosts.length === 0 || caller.hosts.some((pattern) => hostMatches(pattern, host));
}

/** @throws ServiceError Forbidden */
export function demandHost(caller: Caller, host: string): void {
  if (!mayReach(caller, host))
    throw new ServiceError("Forbidden", `This API key may not reach the device ${host}.`);
}
