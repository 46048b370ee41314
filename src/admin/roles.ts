/** Manages roles, for those whose own limits include what a role gives. */

import { scopeOf } from "../api/access/key.ts";
import {
  personLimits,
  type RolePreview,
  type RolePreviewRequest,
  type RoleRecord,
  roleNameProblem,
  rolePreviewRequest,
  roleRequest,
} from "../api/access/person.ts";
import type { Body } from "../api/body.ts";
import { type FittingRole, fittingRoles, type Holders, roleOf } from "../auth/holders.ts";
import type { Caller } from "../auth/port.ts";
import { exceededLimit, requireRightsOf, rightsOf } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { invalid } from "../base/issues.ts";
import { requireSelectors } from "../inventory/selector/selector.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { NewRole, Store, StoredPerson, StoredRole } from "../store/port.ts";
import { limitsOf, requireKeyAdmin } from "./keys.ts";

export interface RoleTools {
  readonly store: Pick<Store, "roles" | "persons">;
  readonly holders: Pick<Holders, "byId">;
  readonly iso: (ms: number) => string;
  /** What persons may do has changed. */
  forgetAll(): void;
}

export function createRoleAdministration({ store: { roles, persons }, holders, iso, forgetAll }: RoleTools) {
  async function listed(caller: Caller): Promise<StoredRole[]> {
    requireKeyAdmin(caller, subject);
    return roles.list();
  }

  /**
   * Requires that the caller has what the role gives, before the change and after it, that no role which gives more
   * takes its place for somebody, and that it takes the place of none.
   * @param after undefined: it is removed
   * @throws ServiceError Forbidden
   */
  async function requireChange(
    name: string,
    before: StoredRole | undefined,
    after: NewRole | undefined,
    all: readonly StoredRole[],
    caller: Caller,
  ): Promise<void> {
    const own = await limitsOf(caller, holders);
    // A role has no end; a person's key acts for the person.
    const held = caller.person === undefined ? own : { ...own, expiresAt: null };
    const what = `${after === undefined ? "remove" : "set"} the role ${name}`;
    for (const role of [before, after]) if (role !== undefined) requireRightsOf(held, role, what);
    const above = all.filter((role) => role.name !== name && exceededLimit(held, role) !== undefined);
    for (const role of above) {
      const mayFollow = before !== undefined && inOrder(before, role) < 0;
      if (mayFollow && !(after !== undefined && keepsPlace(before, after)))
        requireRightsOf(held, role, `${what}, because ${role.name} may count in its place`);
      if (after !== undefined && takesFrom(role, after) && !(before && takesFrom(role, before)))
        requireRightsOf(held, role, `${what}, because it would count in place of ${role.name}`);
    }
    if (above.length === 0 || after === undefined) return;
    const changed = withDraft(all, after);
    for await (const person of everybody()) {
      const role = roleOf(above, person);
      if (role !== undefined && roleOf(all, person) === role && roleOf(changed, person) !== role)
        requireRightsOf(held, role, `${what}, because it would count in place of ${role.name} for a person`);
    }
  }

  /** Somebody in two groups has a role by either, which roles alone do not tell. */
  async function* everybody() {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const page: readonly StoredPerson[] = await persons.page(personsAtOnce, after);
      yield* page;
      after = page.length < personsAtOnce ? undefined : page.at(-1)?.name;
    }
  }

  /** @throws ServiceError NotFound */
  async function describedBy({ person, issuer, subject, groups }: RolePreviewRequest) {
    if (person === undefined) return { issuer: issuer ?? "", subject: subject ?? "", groups };
    const stored = await persons.named(person);
    if (stored === undefined) throw new ServiceError("NotFound", noSuchPerson);
    return stored;
  }

  return {
    async listRoles(caller: Caller): Promise<RoleRecord[]> {
      return (await listed(caller)).map((role) => recordOf(role, iso));
    },

    async putRole(name: string, body: Body, caller: Caller) {
      const all = await listed(caller);
      const given = { ...checkShape(roleRequest, body.value), name };
      requireName(name);
      requireSelectors(given.hosts, (at) => `hosts.${at}`);
      const before = all.find((role) => role.name === name);
      await requireChange(name, before, given, all, caller);
      const outcome = await roles.put(given, caller, "kept");
      if (outcome === "full") {
        const text = `The limit is reached: there are ${personLimits.roles} roles. Remove unused ones.`;
        throw new ServiceError("PayloadTooLarge", text);
      }
      if (outcome === "last_admin") throw lastAdmin();
      forgetAll();
      const stored = (await roles.list()).find((role) => role.name === name);
      if (stored === undefined) throw new ServiceError("NotFound", noSuchRole);
      return { outcome, role: recordOf(stored, iso) };
    },

    async removeRole(name: string, caller: Caller): Promise<void> {
      const all = await listed(caller);
      const before = all.find((role) => role.name === name);
      if (before === undefined) throw new ServiceError("NotFound", noSuchRole);
      await requireChange(name, before, undefined, all, caller);
      const outcome = await roles.remove(name, caller, "kept");
      if (outcome === "last_admin") throw lastAdmin();
      if (outcome === "unknown") throw new ServiceError("NotFound", noSuchRole);
      forgetAll();
    },

    async previewRole(body: Body, caller: Caller): Promise<RolePreview> {
      const all = await listed(caller);
      const request = checkShape(rolePreviewRequest, body.value);
      const { role: draft } = request;
      if (draft !== undefined) requireSelectors(draft.hosts, (at) => `role.hosts.${at}`);
      const order = draft === undefined ? all : withDraft(all, draft);
      return previewOf(fittingRoles(order, await describedBy(request)));
    },
  };
}

/** Read in one step. */
const personsAtOnce = 1_000;
const subject = "Roles";
const noSuchRole = "There is no role with that name.";
export const noSuchPerson = "There is no person with that name or id.";

function lastAdmin(): ServiceError {
  const message =
    "This is the last role that makes somebody an admin of all hosts, and no admin key is in force: create a key first.";
  return new ServiceError("Conflict", message, { issues: [{ path: "", message }] });
}

/** @throws ServiceError Validation */
function requireName(name: string): void {
  const problem = roleNameProblem(name);
  if (problem !== undefined) throw invalid("name", problem);
}

/** Whether everybody who has the role keeps it. */
function keepsPlace(before: NewRole, after: NewRole): boolean {
  return (
    after.position <= before.position &&
    (after.issuer === null || after.issuer === before.issuer) &&
    before.groups.every((group) => after.groups.includes(group)) &&
    before.subjects.every((person) => after.subjects.includes(person))
  );
}

/** Whether the first one stands before the role and names one of its persons or groups. */
function takesFrom(role: NewRole, first: NewRole): boolean {
  return (
    inOrder(first, role) < 0 &&
    (role.groups.some((group) => first.groups.includes(group)) ||
      role.subjects.some((person) => first.subjects.includes(person)))
  );
}

/** As the store orders them. */
function inOrder(a: NewRole, b: NewRole): number {
  return a.position - b.position || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

/** As they would count if the draft were stored. */
function withDraft(all: readonly NewRole[], draft: NewRole): NewRole[] {
  return [...all.filter(({ name }) => name !== draft.name), draft].sort(inOrder);
}

function previewOf([first, ...others]: readonly FittingRole<NewRole>[]): RolePreview {
  if (first === undefined)
    return {
      role: null,
      scope: null,
      hosts: [],
      credentials: [],
      rights: [],
      recipes: null,
      because: null,
      others: [],
    };
  const { role, group } = first;
  const by = group === undefined ? "the person" : `the group "${group}"`;
  return {
    role: role.name,
    ...limitsIn(role),
    because: `It is the first role that names ${by}.`,
    others: others.map(({ role }) => role.name),
  };
}

/** With the rights that come with the scope. */
function limitsIn({ scope, hosts, credentials, rights, recipes }: NewRole) {
  return { scope: scopeOf(scope), hosts, credentials, rights: rightsOf({ scope, rights }), recipes };
}

function recordOf(role: StoredRole, iso: (ms: number) => string): RoleRecord {
  const { name, position, issuer, groups, subjects, createdAt, changedAt } = role;
  return {
    ...{ name, position, issuer, groups, subjects },
    ...limitsIn(role),
    ...{ created_at: iso(createdAt), changed_at: iso(changedAt) },
  };
}
