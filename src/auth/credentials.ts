/** Which secrets a key may name in `credential`: the one place that decides it, at the submission and when a job runs. */
import { ServiceError } from "../base/errors.ts";
import { fitsPatterns } from "../base/ssh-patterns.ts";
import type { Caller, NamedCredential } from "./port.ts";

/** Of a key, whose lists may have become shorter since. */
export type CredentialRights = Pick<Caller, "hosts" | "credentials">;

/**
 * Without a list of its own a key that reaches every host may use all. One that is limited to hosts chooses what it logs
 * in to, and could let a host of its own tell it a password: what is kept on the appliance must be given to it by name.
 */
export function mayUseCredential(
  { hosts, credentials }: CredentialRights,
  { name, kept }: NamedCredential,
): boolean {
  if (credentials !== undefined && credentials !== null) return fitsPatterns(name, credentials);
  return hosts.length === 0 || !kept;
}

export function credentialRefusal({ name }: NamedCredential): string {
  return `This API key may not use the credential ${name.slice(0, 200)}.`;
}

/** @throws ServiceError Forbidden */
export function requireCredential(key: CredentialRights, credential: NamedCredential | undefined): void {
  if (credential === undefined || mayUseCredential(key, credential)) return;
  throw new ServiceError("Forbidden", credentialRefusal(credential), { outcome: "none" });
}
