/** Before a credential is read for a device: whether the key that asked for it still may, written into the audit trail. */
import { requireCredential } from "../auth/credentials.ts";
import { ServiceError } from "../base/errors.ts";
import { stateOfKey } from "../model/key.ts";
import type { Store } from "../store/port.ts";
import type { CredentialUse, UsedCredential } from "./port.ts";

export function createCredentialUse({
  credentials,
  keys,
  clock,
}: Pick<Store, "credentials" | "keys" | "clock">): CredentialUse {
  async function write({ keyId, credential, host, jobId }: UsedCredential, keyName: string): Promise<void> {
    if (credential === undefined) return;
    const caller = { keyId, name: keyName, from: null };
    const entry = { caller, action: "credential.use", host, jobId, outcome: "used", detail: credential.name };
    await credentials.used(credential.name, entry);
  }

  return {
    async note(use) {
      const { keyId, credential } = use;
      if (credential === undefined) return;
      const key = await keys.byId(keyId);
      const state = key === undefined ? "revoked" : stateOfKey(key, clock.wall());
      if (key === undefined || state !== "in_force") {
        const why = state === "expired" ? "has expired" : "was revoked";
        const text = `The API key that asked for this ${why}: the credential ${credential.name} is not read for it.`;
        throw new ServiceError("Forbidden", text, { outcome: "none" });
      }
      requireCredential(key, credential);
      await write(use, key.name);
    },

    async record(use) {
      if (use.credential === undefined) return;
      await write(use, (await keys.byId(use.keyId))?.name ?? "unknown");
    },
  };
}
