/** Checks a key before an action on a device, and audits the use of credentials. */
import { LRUCache } from "lru-cache";
import { credentialRefusal, mayUseCredential, requireCredential } from "../auth/credentials.ts";
import { ServiceError } from "../base/errors.ts";
import { type KeyState, stateOfKey } from "../model/key.ts";
import type { Store } from "../store/port.ts";
import type { CredentialUse, UsedCredential } from "./port.ts";

/** Cache time of key states, as for requests. */
const knownMs = 5_000;

export function createCredentialUse({
  credentials,
  keys,
  clock,
}: Pick<Store, "credentials" | "keys" | "clock">): CredentialUse {
  const states = new LRUCache<string, KeyState>({ max: 1_000, ttl: knownMs });

  /** Cached, because a key may have thousands of jobs. An unavailable store or unknown key is not a revocation. */
  async function stateOf(keyId: string): Promise<KeyState> {
    const before = states.get(keyId);
    if (before !== undefined) return before;
    try {
      const key = await keys.byId(keyId);
      const state = key === undefined ? "in_force" : stateOfKey(key, clock.wall());
      states.set(keyId, state);
      return state;
    } catch {
      return "in_force";
    }
  }

  async function write({ keyId, credential, host, jobId }: UsedCredential, keyName: string): Promise<void> {
    if (credential === undefined) return;
    const caller = { keyId, name: keyName, from: null };
    const entry = { caller, action: "credential.use", host, jobId, outcome: "used", detail: credential.name };
    await credentials.used(credential.name, entry);
  }

  return {
    async note(use) {
      const { keyId, credential } = use;
      if (credential === undefined) {
        const state = await stateOf(keyId);
        if (state !== "in_force") throw outOfForce(state, "no further work is done for it");
        return;
      }
      const key = await keys.byId(keyId);
      const state = key === undefined ? "revoked" : stateOfKey(key, clock.wall());
      if (key === undefined || state !== "in_force")
        throw outOfForce(state, `the credential ${credential.name} is not read for it`);
      requireCredential(key, credential);
      await write(use, key.name);
    },

    async noteShared(use, starter) {
      const { keyId, credential } = use;
      if (credential === undefined) return;
      const [key, other] = await Promise.all([keys.byId(keyId), keys.byId(starter)]);
      const mayNow = [key, other].some(
        (one) =>
          one !== undefined &&
          stateOfKey(one, clock.wall()) === "in_force" &&
          mayUseCredential(one, credential),
      );
      if (!mayNow) throw new ServiceError("Forbidden", credentialRefusal(credential), { outcome: "none" });
      await write(use, key?.name ?? "unknown");
    },

    async record(use) {
      if (use.credential === undefined) return;
      await write(use, (await keys.byId(use.keyId))?.name ?? "unknown");
    },
  };
}

function outOfForce(state: KeyState, then: string): ServiceError {
  const why = state === "expired" ? "has expired" : "was revoked";
  return new ServiceError("Forbidden", `The API key of this request ${why}: ${then}.`, {
    outcome: "none",
  });
}
