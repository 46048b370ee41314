/** Host keys of devices: listed, forgotten, and a replaced one accepted, within the reach of the caller. */

import { acceptedHostKey, type HostKeyRecord } from "../api/access/host-key.ts";
import type { Body } from "../api/body.ts";
import { canonicalHost } from "../api/identity.ts";
import { requireScope } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { mayReach } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { Store } from "../store/port.ts";

interface HostKeyTools {
  readonly store: Pick<Store, "hostKeys">;
  readonly iso: (ms: number) => string;
}

export function createHostKeyAdministration({ store: { hostKeys }, iso }: HostKeyTools) {
  async function listOf(host: string | undefined, caller: Caller): Promise<HostKeyRecord[]> {
    const wanted = host === undefined ? undefined : canonicalHost(host);
    const keys = await hostKeys.list();
    return keys
      .filter(({ host: name }) => wanted === undefined || canonicalHost(name) === wanted)
      .filter(({ host: name }) => mayReach(caller, name))
      .map(({ seenAt, offered, route, ...key }) => ({
        ...key,
        via: [...route],
        seen_at: iso(seenAt),
        offered: offered && {
          type: offered.type,
          fingerprint: offered.fingerprint,
          seen_at: iso(offered.seenAt),
        },
      }));
  }

  /** Host names as they are stored: the caller may spell an address in another way. */
  async function namesOf(host: string, caller: Caller): Promise<string[]> {
    return [...new Set((await listOf(host, caller)).map(({ host: name }) => name))];
  }

  const unknown = (host: string) =>
    new ServiceError("NotFound", `No host key of ${host.slice(0, 253)} is known.`);

  return {
    async listHostKeys(host: string | undefined, caller: Caller): Promise<HostKeyRecord[]> {
      requireScope(caller, "read");
      return listOf(host, caller);
    },

    async forgetHostKey(host: string, port: number | undefined, caller: Caller): Promise<number> {
      requireScope(caller, "admin");
      let forgotten = 0;
      for (const name of await namesOf(host, caller)) forgotten += await hostKeys.forget(name, port, caller);
      if (forgotten > 0) return forgotten;
      throw unknown(host);
    },

    /** Only a key that the host has presented: a mistyped fingerprint would lock it out. */
    async acceptHostKey(host: string, body: Body, caller: Caller): Promise<HostKeyRecord[]> {
      requireScope(caller, "admin");
      const { fingerprint, port } = checkShape(acceptedHostKey, body.value);
      const plain = fingerprint.replace(/=$/, "");
      const names = await namesOf(host, caller);
      if (names.length === 0) throw unknown(host);
      let accepted = 0;
      for (const name of names) accepted += await hostKeys.accept(name, plain, port ?? undefined, caller);
      if (accepted > 0) return listOf(host, caller);
      const message = `${host.slice(0, 253)} has not presented a key with that fingerprint since its known key was learned: connect to it once, and compare the fingerprint of the HostKeyMismatch.`;
      throw new ServiceError("Conflict", message, { issues: [{ path: "fingerprint", message }] });
    },
  };
}
