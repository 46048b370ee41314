/** Decides which credentials a key may name, at submission and again when the job runs. */
import { ServiceError } from "../base/errors.ts";
import { fitsPatterns } from "../base/net/ssh-patterns.ts";
import { limitWord } from "./caller.ts";
import type { Caller, NamedCredential } from "./port.ts";

/** The current rights of a key, which may have been reduced since submission. */
export type CredentialRights = Pick<Caller, "hosts" | "credentials">;

/**
 * Without a list of its own, a key that reaches every host may use all credentials. A key restricted to hosts must be
 * granted stored credentials by name: it chooses what to log in to, and could have a host of its own reveal a password.
 */
export function mayUseCredential(
  { hosts, credentials }: CredentialRights,
  { name, kept }: NamedCredential,
): boolean {
  if (credentials !== undefined && credentials !== null) return fitsPatterns(name, credentials);
  return hosts.length === 0 || !kept;
}

export function credentialRefusal({ name }: NamedCredential): string {
  return `${limitWord()} may not use the credential ${name.slice(0, 200)}.`;
}

/** @throws ServiceError Forbidden */
export function requireCredential(key: CredentialRights, credential: NamedCredential | undefined): void {
  if (credential === undefined || mayUseCredential(key, credential)) return;
  throw new ServiceError("Forbidden", credentialRefusal(credential), { outcome: "none" });
}
