/** What those who act for a key ask first. */
import type { NamedCredential } from "../auth/port.ts";

/** Something is about to be done on a device, maybe with a credential that is read for it. */
export interface CredentialUse {
  /**
   * Looks at the key as it is now, and writes the use of a credential down.
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
