/** Who calls: an API key becomes a Caller, and its scope says what it may ask for. */
import { ServiceError } from "../base/errors.ts";

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
export function requireScope(caller: Caller, needed: Scope): void {
  if (scopes.indexOf(caller.scope) >= scopes.indexOf(needed)) return;
  throw new ServiceError("Forbidden", `This API key has the scope "${caller.scope}"; "${needed}" is needed.`);
}
