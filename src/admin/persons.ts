/** Lists, blocks and forgets persons, and tells every caller who it is. */

import { scopeOf } from "../api/access/key.ts";
import {
  changedPerson,
  type ForgottenPerson,
  type MeRecord,
  type PersonRecord,
  type PersonState,
} from "../api/access/person.ts";
import type { Body } from "../api/body.ts";
import { type Holders, personState } from "../auth/holders.ts";
import type { Caller } from "../auth/port.ts";
import { requireRightsOf, rightsOf } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { Store, StoredPerson } from "../store/port.ts";
import { limitsOf, requireKeyAdmin } from "./keys.ts";
import { noSuchPerson } from "./roles.ts";

export interface PersonTools {
  readonly store: Pick<Store, "persons">;
  readonly holders: Pick<Holders, "byId" | "ofPerson">;
  readonly iso: (ms: number) => string;
  /** What persons may do has changed. */
  forgetAll(): void;
}

export function createPersonAdministration({ store: { persons }, holders, iso, forgetAll }: PersonTools) {
  async function recordOf(person: StoredPerson): Promise<PersonRecord> {
    const { id, name, email, issuer, subject, groups, createdAt, signedInAt, blockedAt } = person;
    const { role, ...limits } = await limitsIn(person);
    const itself = personState(person);
    const state: PersonState = itself === "in_force" && role === null ? "no_role" : itself;
    return {
      ...{ id, name, email, issuer, subject, groups, state, role },
      ...limits,
      created_at: iso(createdAt),
      signed_in_at: iso(signedInAt),
      blocked_at: blockedAt === null ? null : iso(blockedAt),
    };
  }

  async function limitsIn(person: StoredPerson) {
    const holder = await holders.ofPerson(person);
    const { role = null, scope, hosts, credentials, recipes } = holder;
    if (role === null) return { role, scope: null, hosts: [], credentials: [], rights: [], recipes };
    return { role, scope: scopeOf(scope), hosts, credentials, rights: rightsOf(holder), recipes };
  }

  /** @throws ServiceError NotFound */
  async function find(nameOrId: string): Promise<StoredPerson> {
    const person = await persons.named(nameOrId);
    if (person === undefined) throw new ServiceError("NotFound", noSuchPerson);
    return person;
  }

  /**
   * A person who is changed by somebody else, who has all that the person has when not blocked.
   * @throws ServiceError NotFound, Forbidden, Conflict
   */
  async function manageable(nameOrId: string, caller: Caller, verb: string): Promise<StoredPerson> {
    requireKeyAdmin(caller, subject);
    const person = await find(nameOrId);
    if (person.id === caller.person?.id) {
      const message = `Nobody may ${verb} themselves: somebody else does it.`;
      throw new ServiceError("Conflict", message, { issues: [{ path: "name", message }] });
    }
    const wanted = await holders.ofPerson({ ...person, blockedAt: null });
    if (wanted.state !== "in_force") return person;
    const held = { ...(await limitsOf(caller, holders)), expiresAt: null };
    requireRightsOf(held, wanted, `${verb} ${person.name}`);
    return person;
  }

  return {
    async listPersons(caller: Caller, limit: number, after: string | undefined) {
      requireKeyAdmin(caller, subject);
      const rows = await persons.page(limit + 1, after);
      const page = rows.slice(0, limit);
      const records = await Promise.all(page.map(recordOf));
      return { persons: records, next: rows.length > limit ? page.at(-1)?.name : undefined };
    },

    async readPerson(nameOrId: string, caller: Caller): Promise<PersonRecord> {
      requireKeyAdmin(caller, subject);
      return recordOf(await find(nameOrId));
    },

    async changePerson(nameOrId: string, body: Body, caller: Caller): Promise<PersonRecord> {
      requireKeyAdmin(caller, subject);
      const { blocked } = checkShape(changedPerson, body.value);
      const { id } = await manageable(nameOrId, caller, blocked ? "block" : "unblock");
      if (!(await persons.block(id, blocked, caller))) throw new ServiceError("NotFound", noSuchPerson);
      forgetAll();
      return recordOf(await find(id));
    },

    async forgetPerson(nameOrId: string, caller: Caller): Promise<ForgottenPerson> {
      const { id } = await manageable(nameOrId, caller, "forget");
      const name = await persons.forget(id, caller);
      if (name === undefined) throw new ServiceError("NotFound", noSuchPerson);
      forgetAll();
      return { id, name };
    },

    async whoAmI(caller: Caller): Promise<MeRecord> {
      const { keyId, name, person, scope, hosts, credentials = null, recipes = null } = caller;
      const holder = await holders.byId(keyId);
      const isPerson = person !== undefined && person.id === keyId;
      const expiresAt = holder?.expiresAt ?? null;
      return {
        kind: isPerson ? "person" : "key",
        ...{ id: keyId, name, person: person?.name ?? null },
        role: holder?.role ?? null,
        ...{ scope, hosts: [...hosts], credentials, rights: rightsOf(caller), recipes },
        expires_at: expiresAt === null ? null : iso(expiresAt),
      };
    },
  };
}

const subject = "Persons";
