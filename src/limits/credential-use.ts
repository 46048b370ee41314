/** Checks a key before an action on a device, and audits the use of credentials. */

import { LRUCache } from "lru-cache";
import type { KeyState } from "../api/access/key.ts";
import { limitWord } from "../auth/caller.ts";
import { credentialRefusal, mayUseCredential, requireCredential } from "../auth/credentials.ts";
import type { Holders } from "../auth/holders.ts";
import { type Holder, type SelectedHosts, selectorPrefix } from "../auth/port.ts";
import { reachOf } from "../auth/reach.ts";
import { createSelectedReach } from "../auth/selected.ts";
import { ServiceError } from "../base/errors.ts";
import type { Store } from "../store/port.ts";
import type { CredentialUse, UsedCredential } from "./port.ts";

/** Cache time of key states, as for requests. */
const knownMs = 5_000;

type Known = Pick<Holder, "state" | "hosts" | "person" | "id">;

const unknown: Known = { id: "", state: "in_force", hosts: [] };

/** @param selectedHosts absent: there is no inventory. */
export function createCredentialUse(
  { credentials }: Pick<Store, "credentials">,
  holders: Pick<Holders, "byId">,
  selectedHosts?: SelectedHosts,
): CredentialUse {
  const known = new LRUCache<string, Known>({ max: 1_000, ttl: knownMs });
  const reachable = createSelectedReach(selectedHosts);

  /** Cached, because a key may have thousands of jobs. An unavailable store or unknown key is not a revocation. */
  async function find(keyId: string): Promise<Known> {
    const before = known.get(keyId);
    if (before !== undefined) return before;
    try {
      const found = (await holders.byId(keyId)) ?? unknown;
      known.set(keyId, found);
      return found;
    } catch {
      return unknown;
    }
  }

  /** Hosts that a selector of the key matched at submission must still match: devices move between groups. */
  async function requireSelected(hosts: readonly string[], submitted: readonly string[]): Promise<void> {
    const chosen = submitted.filter((host) => !hosts.includes(host));
    if (chosen.length === 0 || !hosts.some((text) => text.startsWith(selectorPrefix))) return;
    const current = await reachable(hosts).catch(() => undefined);
    const lost = current && chosen.find((host) => !reachOf(current).allows(host));
    if (lost === undefined) return;
    const text = `${limitWord()} may no longer reach ${lost}: its selectors do not match it any more. Nothing was sent.`;
    throw new ServiceError("Forbidden", text, { outcome: "none" });
  }

  async function write({ keyId, credential, host, jobId }: UsedCredential, keyName: string): Promise<void> {
    if (credential === undefined) return;
    const caller = { keyId, name: keyName, from: null };
    const entry = {
      caller,
      action: "credential.use" as const,
      host,
      jobId,
      outcome: "used",
      detail: credential.name,
    };
    await credentials.used(credential.name, entry);
  }

  return {
    async note(use) {
      const { keyId, credential, reach = [] } = use;
      if (credential === undefined) {
        const holder = await find(keyId);
        if (holder.state !== "in_force") throw outOfForce(holder, "no further work is done for it");
        return requireSelected(holder.hosts, reach);
      }
      const key = await holders.byId(keyId);
      if (key?.state !== "in_force")
        throw outOfForce(key, `the credential ${credential.name} is not read for it`);
      requireCredential(key, credential);
      await requireSelected(key.hosts, reach);
      await write(use, key.name);
    },

    async noteShared(use, starter) {
      const { keyId, credential } = use;
      if (credential === undefined) return;
      const [key, other] = await Promise.all([holders.byId(keyId), holders.byId(starter)]);
      const mayNow = [key, other].some(
        (one) => one?.state === "in_force" && mayUseCredential(one, credential),
      );
      if (!mayNow) throw new ServiceError("Forbidden", credentialRefusal(credential), { outcome: "none" });
      await write(use, key?.name ?? "unknown");
    },

    async record(use) {
      if (use.credential === undefined) return;
      await write(use, (await holders.byId(use.keyId))?.name ?? "unknown");
    },
  };
}

function outOfForce(holder: Pick<Known, "id" | "state" | "person"> | undefined, then: string): ServiceError {
  const state: KeyState = holder?.state ?? "revoked";
  const isPerson = holder?.person !== undefined && holder.person.id === holder.id;
  const text = isPerson
    ? `${holder.person?.name} is blocked or has no role any more: ${then}.`
    : `The API key of this request ${state === "expired" ? "has expired" : "was revoked"}: ${then}.`;
  return new ServiceError("Forbidden", text, { outcome: "none" });
}
