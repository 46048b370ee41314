/** The interface to check a key before acting on its behalf. */
import type { NamedCredential } from "../auth/port.ts";

/** An action on a device, perhaps with a credential. */
export interface CredentialUse {
  /**
   * Checks the current state of the key, and audits the use of a credential.
   * @throws ServiceError Forbidden: the key was revoked, has expired, or may no longer use the credential
   */
  note(use: UsedCredential): Promise<void>;
  /**
   * The same for a task that another key may have started: one of the two must be allowed to use its credential now.
   * @param starter id of the key that started it
   * @throws ServiceError Forbidden
   */
  noteShared(use: UsedCredential, starter: string): Promise<void>;
  /** Only audits the use: for work of the service itself. */
  record(use: UsedCredential): Promise<void>;
}

export interface UsedCredential {
  readonly keyId: string;
  readonly credential: NamedCredential | undefined;
  readonly host: string;
  readonly jobId?: string;
  /** What the key could reach when the job was submitted, as stored with the job. */
  readonly reach?: readonly string[] | undefined;
}
