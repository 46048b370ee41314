/**
 * Who holds which limits now: a key, a person by the role that fits, or a key of a person, which never has more than
 * its person.
 */
import { stateOfKey } from "../api/access/key.ts";
import { formerMark } from "../api/access/own-key.ts";
import type { Holder, HolderStore, KnownKey, KnownPerson, KnownRole } from "./port.ts";
import { commonLimits } from "./rights.ts";

/** Roles are read again after this time: persons are looked up more often than roles change. */
const rolesKnownMs = 1_000;

export interface Holders {
  /** @throws ServiceError Unavailable */
  byId(id: string): Promise<Holder | undefined>;
  /** @throws ServiceError Unavailable */
  ofKey(key: KnownKey): Promise<Holder>;
  /** @throws ServiceError Unavailable */
  ofPerson(person: KnownPerson): Promise<Holder>;
  /** Roles have changed: they are read anew. */
  forgetRoles(): void;
}

export function createHolders({ keys, persons, roles, clock }: HolderStore): Holders {
  let read: { readonly roles: Promise<readonly KnownRole[]>; readonly until: number } | undefined;

  function currentRoles(): Promise<readonly KnownRole[]> {
    const now = clock.steady();
    if (read === undefined || read.until <= now) {
      const reading = roles.list();
      read = { roles: reading, until: now + rolesKnownMs };
      // A failed read is not kept.
      reading.catch(() => {
        if (read?.roles === reading) read = undefined;
      });
    }
    return read.roles;
  }

  async function ofPerson(person: KnownPerson): Promise<Holder> {
    const { id, name } = person;
    const role = personState(person) === "in_force" ? roleOf(await currentRoles(), person) : undefined;
    const itself = { id, name, person: { id, name }, expiresAt: null };
    if (role === undefined) return { ...itself, ...nothing, state: "revoked", role: null };
    const { scope, hosts, credentials, rights, recipes } = role;
    return { ...itself, scope, hosts, credentials, rights, recipes, state: "in_force", role: role.name };
  }

  async function ofKey(key: KnownKey): Promise<Holder> {
    const { id, name, scope, hosts, credentials, rights, recipes, expiresAt, personId } = key;
    const state = stateOfKey(key, clock.wall());
    const own = { id, name, scope, hosts, credentials, rights, recipes, expiresAt, state };
    if (personId === null) return own;
    const stored = await persons.byId(personId);
    const holder = stored && (await ofPerson(stored));
    const person = { id: personId, name: stored?.name ?? "unknown" };
    const limits = holder?.state === "in_force" ? commonLimits(holder, own) : undefined;
    // Stored below the id of its person, whose name may change.
    const itself = { ...own, name: keyNameOf(person.name, name), person };
    if (limits === undefined)
      return { ...itself, ...nothing, state: state === "in_force" ? "revoked" : state };
    return { ...itself, ...limits };
  }

  return {
    ofKey,
    ofPerson,
    forgetRoles() {
      read = undefined;
    },
    async byId(id) {
      const key = await keys.byId(id);
      if (key !== undefined) return ofKey(key);
      const person = await persons.byId(id);
      return person && ofPerson(person);
    },
  };
}

const nothing = { scope: "read", hosts: [], credentials: [], rights: [], recipes: [] } as const;

/** Without regard to roles. */
export function personState({
  blockedAt,
  forgottenAt,
}: Pick<KnownPerson, "blockedAt" | "forgottenAt">): "in_force" | "blocked" | "forgotten" {
  if (forgottenAt !== null) return "forgotten";
  return blockedAt === null ? "in_force" : "blocked";
}

/** The name under which a key of a person is stored: unique, whatever the person is called. */
export function storedKeyName(personId: string, name: string): string {
  return `${personId}/${name}`;
}

/** `anna/laptop`, of the key `laptop`. */
export function keyNameOf(personName: string, storedName: string): string {
  const [name] = storedName.slice(storedName.indexOf("/") + 1).split(formerMark);
  return `${personName}/${name}`;
}

/** A key of a machine has the name that it is stored with. */
export function shownKeyName(key: {
  readonly name: string;
  readonly personId: string | null;
  /** Name of the person; null: known no more. */
  readonly person: string | null;
}): string {
  return key.personId === null ? key.name : keyNameOf(key.person ?? "unknown", key.name);
}

type Described = Pick<KnownPerson, "issuer" | "subject" | "groups">;

/** The first role that names the person, or one of their groups. Nothing is added together from several. */
export function roleOf<R extends KnownRole>(roles: readonly R[], person: Described): R | undefined {
  return fittingRoles(roles, person)[0]?.role;
}

export interface FittingRole<R> {
  readonly role: R;
  /** The group that it names; undefined: it names the person. */
  readonly group: string | undefined;
}

/** All that fit, in their order, each with what it fits by. */
export function fittingRoles<R extends KnownRole>(
  roles: readonly R[],
  { issuer, subject, groups }: Described,
): FittingRole<R>[] {
  const held = new Set(groups);
  return roles.flatMap((role) => {
    if (role.issuer !== null && role.issuer !== issuer) return [];
    const group = role.groups.find((name) => held.has(name));
    return group === undefined && !role.subjects.includes(subject) ? [] : [{ role, group }];
  });
}
