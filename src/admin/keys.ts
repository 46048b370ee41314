/** Manages API keys over the API, for admin keys without host limits. */

import {
  type ChangedKey,
  changedKey,
  expiryOf,
  type KeyRecord,
  type MadeKey,
  newKeyRequest,
  plainFingerprint,
  scopeOf,
  stateOfKey,
} from "../api/access/key.ts";
import type { Body } from "../api/body.ts";
import type { WriterFilter } from "../api/filters.ts";
import { writerIn } from "../api/jobs/job.ts";
import { requireScope, submitterNamed } from "../auth/caller.ts";
import { type Holders, shownKeyName } from "../auth/holders.ts";
import { makeApiKey } from "../auth/make-key.ts";
import type { Caller } from "../auth/port.ts";
import { type KeyLimits, requireRightsOf, rightsOf } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { requireSelectors } from "../inventory/selector/selector.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { ListedKey, Store } from "../store/port.ts";

export interface KeyTools {
  readonly store: Pick<Store, "keys" | "clock">;
  readonly holders: Pick<Holders, "byId">;
  readonly iso: (ms: number) => string;
}

/** What the caller may do, with the expiry of its key. */
export async function limitsOf(caller: Caller, holders: Pick<Holders, "byId">) {
  return { ...caller, expiresAt: (await holders.byId(caller.keyId))?.expiresAt } satisfies KeyLimits;
}

export function createKeyAdministration({ store: { keys, clock }, holders, iso }: KeyTools) {
  /**
   * Requires that the caller has all rights of the keys with that name or id, and after the change.
   * @throws ServiceError NotFound, Forbidden
   */
  async function requireManageable(nameOrId: string, caller: Caller, change?: ChangedKey): Promise<void> {
    // A name may equal the id of another key.
    const found = (await keys.list()).filter(
      (key) => key.revokedAt === null && [key.id, key.name, shownKeyName(key)].includes(nameOrId),
    );
    if (found.length === 0) throw new ServiceError("NotFound", noSuchKey);
    const limits = await limitsOf(caller, holders);
    for (const key of found) {
      const { id, scope, hosts, credentials, rights, recipes } = key;
      // Any key may end itself.
      if (id === caller.keyId && change === undefined) continue;
      // An expiry cannot be changed, so it is not compared.
      const before = { scope, hosts, credentials, rights, recipes, expiresAt: limits.expiresAt };
      const text = `${change === undefined ? "revoke" : "change"} ${shownKeyName(key)}`;
      requireRightsOf(limits, before, text);
      requireRightsOf(limits, { ...before, ...change }, text);
    }
  }

  return {
    async listKeys(caller: Caller, { submitted_by }: WriterFilter = {}): Promise<KeyRecord[]> {
      requireKeyAdmin(caller);
      const now = clock.wall();
      return (await keys.list(submitterNamed(submitted_by, caller))).map((key) => keyRecordOf(key, now, iso));
    },

    async addKey(body: Body, caller: Caller): Promise<MadeKey> {
      requireKeyAdmin(caller);
      const request = checkShape(newKeyRequest, body.value);
      const { name, scope, hosts, credentials, rights, recipes } = request;
      const certificate = request.certificate === undefined ? null : plainFingerprint(request.certificate);
      requireSelectors(hosts, (at) => `hosts.${at}`);
      const expiresAt = expiryOf(request, clock.wall());
      const given = { scope, hosts, credentials, rights, recipes, expiresAt };
      requireRightsOf(await limitsOf(caller, holders), given, "make that key");
      const apiKey = certificate === null ? makeApiKey() : "";
      const key = certificate === null ? apiKey : { certificate };
      const id = await keys.add({ name, key, ...given }, caller);
      if (id === undefined) throw conflict("name", takenText(name, certificate));
      const expires_at = expiresAt === undefined ? null : iso(expiresAt);
      const held = rightsOf(given);
      return {
        ...{ id, name, scope, hosts, credentials, rights: held, recipes },
        ...{ expires_at, key: apiKey, certificate },
      };
    },

    async changeKey(nameOrId: string, body: Body, caller: Caller): Promise<void> {
      requireKeyAdmin(caller);
      const lists = checkShape(changedKey, body.value);
      await requireManageable(nameOrId, caller, lists);
      if (await keys.change(nameOrId, lists, caller)) return;
      throw new ServiceError("NotFound", noSuchKey);
    },

    async revokeKey(nameOrId: string, caller: Caller): Promise<void> {
      requireKeyAdmin(caller);
      await requireManageable(nameOrId, caller);
      const outcome = await keys.revoke(nameOrId, caller, "kept");
      if (outcome === "unknown") throw new ServiceError("NotFound", noSuchKey);
      // Without an admin key nobody could create another one over the API.
      if (outcome === "last_admin") throw conflict("", lastAdminText);
    },
  };
}

export function keyRecordOf(key: ListedKey, now: number, iso: (ms: number) => string): KeyRecord {
  const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));
  return {
    id: key.id,
    name: shownKeyName(key),
    person: key.person,
    scope: scopeOf(key.scope),
    hosts: key.hosts,
    credentials: key.credentials,
    rights: rightsOf(key),
    recipes: key.recipes,
    certificate: key.certificate,
    state: stateOfKey(key, now),
    created_at: iso(key.createdAt),
    submitted_by: writerIn(key),
    expires_at: isoOrNull(key.expiresAt),
    last_used_at: isoOrNull(key.lastUsedAt),
    revoked_at: isoOrNull(key.revokedAt),
  };
}

const lastAdminText = "This is the last admin key: create another one before revoking it.";

export function conflict(path: string, message: string): ServiceError {
  return new ServiceError("Conflict", message, { issues: [{ path, message }] });
}

function takenText(name: string, certificate: string | null): string {
  const text = `There is a key named "${name}" already, or there was one`;
  return certificate === null ? `${text}.` : `${text}, or the certificate belongs to another key.`;
}

export const noSuchKey = "There is no valid key with that name or id.";

/** A key limited to hosts could otherwise create an unlimited one. */
export function requireKeyAdmin(caller: Caller, subject = "Keys"): void {
  requireScope(caller, "admin");
  if (caller.hosts.length > 0)
    throw new ServiceError("Forbidden", `${subject} need an admin key that may reach all hosts.`);
}
