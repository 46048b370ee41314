/** Keys that persons make for themselves: never more than the person has, and no more than whoever asks. */

import { type KeyRecord, type MadeKey, scopeOf } from "../api/access/key.ts";
import { keyNameFor, type NewOwnKeyRequest, newOwnKey, ownKeyLimits } from "../api/access/own-key.ts";
import type { Body } from "../api/body.ts";
import { type Holders, shownKeyName, storedKeyName } from "../auth/holders.ts";
import { makeApiKey } from "../auth/make-key.ts";
import type { Caller, PersonName } from "../auth/port.ts";
import { type KeyLimits, requireRightsOf, rightsOf } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { invalid } from "../base/issues.ts";
import { requireSelectors } from "../inventory/selector/selector.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { Actor, Store } from "../store/port.ts";
import { conflict, keyRecordOf, noSuchKey } from "./keys.ts";

export interface OwnKeyTools {
  readonly store: Pick<Store, "keys" | "clock">;
  readonly holders: Pick<Holders, "byId">;
  readonly iso: (ms: number) => string;
  /** The longest life of such a key, in days. */
  readonly ownKeyDays: number;
}

const dayMs = 86_400_000;

export function createOwnKeys({ store: { keys, clock }, holders, iso, ownKeyDays }: OwnKeyTools) {
  const usualDays = Math.min(ownKeyLimits.days, ownKeyDays);

  /** When a key ends; by `until` at the latest if nothing is asked for. The clock is read once, as it goes on. */
  function endOf(wanted: number | undefined, until: number | null): number {
    const now = clock.wall();
    if (wanted !== undefined && wanted > ownKeyDays)
      throw invalid("expires_days", `must be at most ${ownKeyDays} (person_key_days)`);
    return wanted === undefined
      ? Math.min(now + usualDays * dayMs, until ?? Number.POSITIVE_INFINITY)
      : now + wanted * dayMs;
  }

  /** What a new key has if the request does not say: stored as the caller's own key has it, else what the person has. */
  async function inherited(caller: Caller, person: PersonName) {
    const own = caller.keyId === person.id ? undefined : await keys.byId(caller.keyId);
    return { hosts: own?.hosts ?? [], credentials: own?.credentials ?? null };
  }

  async function tryAdd(
    person: PersonName,
    name: string,
    limits: KeyLimits,
    by: Actor,
  ): Promise<MadeKey | "taken" | "full"> {
    const { scope, hosts, credentials = null, rights = null, recipes = null, expiresAt = null } = limits;
    const key = makeApiKey();
    const given = { scope, hosts, credentials, rights, recipes, expiresAt };
    const stored = { ...given, personId: person.id, name: storedKeyName(person.id, name), key };
    const added = await keys.addOwn(stored, by);
    if (typeof added === "string") return added;
    return {
      ...{ id: added.id, name: `${person.name}/${name}`, scope: scopeOf(scope), hosts, credentials },
      ...{
        rights: rightsOf(given),
        recipes,
        expires_at: expiresAt === null ? null : iso(expiresAt),
        key,
        certificate: null,
      },
    };
  }

  return {
    usualDays,

    async listOwnKeys(caller: Caller): Promise<KeyRecord[]> {
      const { id } = requirePerson(caller);
      const now = clock.wall();
      return (await keys.ofPerson(id)).map((key) => keyRecordOf(key, now, iso));
    },

    async addOwnKey(body: Body, caller: Caller): Promise<MadeKey> {
      const person = requirePerson(caller);
      const request: NewOwnKeyRequest = checkShape(newOwnKey, body.value);
      requireSelectors(request.hosts, (at) => `hosts.${at}`);
      const held: KeyLimits = { ...caller, expiresAt: (await holders.byId(caller.keyId))?.expiresAt ?? null };
      // What it does not say is as the caller has it, as far as such a key can have it.
      const rights =
        request.rights ?? rightsOf({ scope: request.scope ?? caller.scope, rights: rightsOf(caller) });
      const expiresAt = endOf(request.expires_days, held.expiresAt ?? null);
      const { scope = caller.scope, hosts, credentials } = request;
      const wanted = {
        ...{ scope, rights, expiresAt },
        // Agents propose only what is named.
        recipes: request.recipes ?? (scope === "agent" ? null : (caller.recipes ?? null)),
        hosts: hosts.length > 0 ? hosts : caller.hosts,
        credentials: credentials ?? caller.credentials ?? null,
      };
      requireRightsOf(held, wanted, "make that key");
      const otherwise = await inherited(caller, person);
      const limits = {
        ...wanted,
        hosts: hosts.length > 0 ? hosts : otherwise.hosts,
        credentials: credentials ?? otherwise.credentials,
      };
      const added = await tryAdd(person, request.name, limits, caller);
      if (added === "full") throw conflict("", fullText);
      if (added === "taken") throw conflict("name", takenText(request.name));
      return added;
    },

    /**
     * Adds a key for a machine that a person logs in, with what the person has; named after the machine.
     * @throws ServiceError Forbidden (the person may not sign in any more), Conflict (too many keys)
     */
    async addKeyFor(personId: string, machine: string, from: string | null): Promise<MadeKey> {
      const holder = await holders.byId(personId);
      if (holder?.state !== "in_force" || holder.person === undefined)
        throw new ServiceError(
          "Forbidden",
          "Whoever confirmed this login is blocked or has no role any more.",
        );
      const { person, scope, recipes } = holder;
      const by = { keyId: person.id, name: person.name, from };
      const expiresAt = endOf(undefined, null);
      const limits = { scope, hosts: [], credentials: null, rights: rightsOf(holder), recipes, expiresAt };
      const name = keyNameFor(machine);
      for (let number = 1; ; number++) {
        const added = await tryAdd(person, number === 1 ? name : `${name}-${number}`, limits, by);
        if (typeof added === "object") return added;
        if (added === "full" || number > ownKeyLimits.inForce) throw conflict("", fullText);
      }
    },

    async revokeOwnKey(name: string, caller: Caller): Promise<string> {
      const person = requirePerson(caller);
      const id = name === "current" ? caller.keyId : name;
      const stored = storedKeyName(person.id, name);
      const found = (await keys.ofPerson(person.id)).find(
        (key) => key.revokedAt === null && (key.id === id || key.name === stored),
      );
      if (found === undefined) throw new ServiceError("NotFound", noSuchKey);
      // A person revokes all their keys; one of the keys ends itself, and those with no more than it has.
      if (found.id !== caller.keyId && caller.keyId !== person.id) {
        const own = await keys.byId(caller.keyId);
        if (own === undefined) throw new ServiceError("NotFound", noSuchKey);
        // An expiry cannot be changed, so it is not compared.
        const held = { ...own, expiresAt: null };
        requireRightsOf(held, { ...found, expiresAt: null }, `revoke ${shownKeyName(found)}`);
      }
      if ((await keys.revoke(found.id, caller)) === "unknown") throw new ServiceError("NotFound", noSuchKey);
      return found.id;
    },
  };
}

const takenText = (name: string) => `You have a key named "${name}" already: revoke it, or name another.`;
const fullText = `You have ${ownKeyLimits.inForce} keys in force, or made ${ownKeyLimits.stored} within ${ownKeyLimits.endedMs / dayMs} days: revoke those you do not need.`;

/** @throws ServiceError Forbidden */
function requirePerson({ person }: Caller): PersonName {
  if (person !== undefined) return person;
  throw new ServiceError(
    "Forbidden",
    "These are keys of persons, and this key belongs to nobody: sign in, or use a key of your own.",
  );
}
