/** What those who let a credential be read ask first. */
import type { NamedCredential } from "../auth/port.ts";

/** Credentials that are about to be read for a device. */
export interface CredentialUse {
  /**
   * Looks at the key as it is now, and writes the use down; nothing where none is named.
   * @throws ServiceError Forbidden: it was revoked, has expired, or may not use it any more
   */
  note(use: UsedCredential): Promise<void>;
  /** Writes it down: the key was looked at already. */
  record(use: UsedCredential): Promise<void>;
}

export interface UsedCredential {
  readonly keyId: string;
  readonly credential: NamedCredential | undefined;
  readonly host: string;
  readonly jobId?: string;
}
