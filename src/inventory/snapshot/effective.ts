/** Inheritance: computes the effective values of groups and devices. */

import { type PolicyMember, policyMembers } from "../../api/changes/change-policy.ts";
import { entryKey, type OwnDevice, type OwnGroup } from "../../api/inventory/inventory.ts";
import { orderedEntries, orderedRecord } from "../../base/json/exact-json.ts";
import type { EffectiveDevice, EffectiveGroup, PushRules } from "../port.ts";
import type { Entry, State } from "./state.ts";

/** The nearest definition wins. */
const scalars = ["port", "platform", "driver", "site", "role", "credential"] as const;
/** Merged member by member. */
const merged = ["connection", "vars"] as const;

const nothing: Readonly<Record<string, unknown>> = Object.freeze({});

/** Caches effective entries, so that only entries whose own or inherited values changed are computed again. */
const groupCache = new WeakMap<
  Entry<OwnGroup>,
  { parent: EffectiveGroup | undefined; effective: EffectiveGroup }
>();
const deviceCache = new WeakMap<
  Entry<OwnDevice>,
  { group: EffectiveGroup | undefined; effective: EffectiveDevice }
>();

/** All groups with their inherited values. A missing group, or a cycle, contributes nothing. */
export function effectiveGroups({ groups }: Pick<State, "groups">): Map<string, EffectiveGroup> {
  const effective = new Map<string, EffectiveGroup>();
  for (const start of groups.keys()) {
    const chain: Entry<OwnGroup>[] = [];
    const visited = new Set<string>();
    for (
      let key: string | undefined = start;
      key !== undefined && !effective.has(key) && !visited.has(key);
    ) {
      const entry = groups.get(key);
      if (entry === undefined) break;
      visited.add(key);
      chain.push(entry);
      key = entry.own.parent === undefined ? undefined : entryKey(entry.own.parent);
    }
    for (const entry of chain.reverse())
      effective.set(entry.key, effectiveGroup(entry, parentOf(entry, effective)));
  }
  return effective;
}

function parentOf({ own }: Entry<OwnGroup>, effective: ReadonlyMap<string, EffectiveGroup>) {
  return own.parent === undefined ? undefined : effective.get(entryKey(own.parent));
}

function effectiveGroup(entry: Entry<OwnGroup>, parent: EffectiveGroup | undefined): EffectiveGroup {
  const cached = groupCache.get(entry);
  if (cached !== undefined && cached.parent === parent) return cached.effective;
  const { own, source } = entry;
  const effective: EffectiveGroup = {
    name: own.name,
    ...inheritedBy(own, parent),
    parent: parent?.name ?? null,
    description: own.description ?? null,
    groups: [own.name, ...(parent?.groups ?? [])],
    window: own.window ?? parent?.window ?? null,
    ...policyOf(own, parent),
    lostGroup: parent === undefined ? own.parent : parent.lostGroup,
    source,
  };
  groupCache.set(entry, { parent, effective });
  return effective;
}

export function effectiveDevice(
  entry: Entry<OwnDevice>,
  groups: ReadonlyMap<string, EffectiveGroup>,
): EffectiveDevice {
  const { own, source, hostKey } = entry;
  const group = own.group === undefined ? undefined : groups.get(entryKey(own.group));
  const cached = deviceCache.get(entry);
  if (cached !== undefined && cached.group === group) return cached.effective;
  const effective: EffectiveDevice = {
    name: own.name,
    host: own.host ?? own.name,
    hostKey,
    ...inheritedBy(own, group),
    group: group?.name ?? null,
    groups: group?.groups ?? [],
    enabled: own.enabled ?? true,
    ...pushRulesOf(own.group, groups),
    source,
  };
  deviceCache.set(entry, { group, effective });
  return effective;
}

const noPolicy: Pick<PushRules, "change" | "changeFrom"> = { change: null, changeFrom: {} };

/** Member by member, so that a group that asks for more does not take back what is asked above it. */
function policyOf(
  { name, change }: OwnGroup,
  above: Pick<PushRules, "change" | "changeFrom"> = noPolicy,
): Pick<PushRules, "change" | "changeFrom"> {
  const own = policyMembers.filter((member) => change?.[member] !== undefined);
  if (change === undefined || own.length === 0) return { change: above.change, changeFrom: above.changeFrom };
  const from = Object.fromEntries(own.map((member): [PolicyMember, string] => [member, name]));
  return { change: { ...above.change, ...change }, changeFrom: { ...above.changeFrom, ...from } };
}

/** Writes never remove a group that is in use, so a group that is missing here is one that cannot be read. */
export function pushRulesOf(
  group: string | null | undefined,
  groups: ReadonlyMap<string, EffectiveGroup>,
): PushRules {
  const match = typeof group === "string" ? groups.get(entryKey(group)) : undefined;
  if (match !== undefined) {
    const { window, change, changeFrom, lostGroup } = match;
    return { window, change, changeFrom, lostGroup };
  }
  return { window: null, ...noPolicy, lostGroup: group ?? undefined };
}

function inheritedBy(entry: OwnDevice | OwnGroup, above: EffectiveGroup | undefined) {
  return {
    port: entry.port ?? above?.port ?? null,
    platform: entry.platform ?? above?.platform ?? null,
    driver: entry.driver ?? above?.driver ?? null,
    site: entry.site ?? above?.site ?? null,
    role: entry.role ?? above?.role ?? null,
    tags: joined(above?.tags ?? [], entry.tags ?? []),
    credential: entry.credential ?? above?.credential ?? null,
    connection: layered(above?.connection, entry.connection),
    vars: layered(above?.vars, entry.vars),
  };
}

function joined(inheritedTags: readonly string[], ownTags: readonly string[]): readonly string[] {
  if (ownTags.length === 0) return inheritedTags;
  return [...new Set([...inheritedTags, ...ownTags])];
}

/** Own members first, as ansible-inventory and Nornir list them. */
function layered(
  inheritedMembers: Readonly<Record<string, unknown>> | undefined,
  ownMembers: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  return ownMembers === undefined
    ? (inheritedMembers ?? nothing)
    : inheritedMembers === undefined
      ? ownMembers
      : orderedRecord([
          ...orderedEntries(ownMembers),
          ...orderedEntries(inheritedMembers).filter(([name]) => !Object.hasOwn(ownMembers, name)),
        ]);
}

/** The origin of each effective value of a device. Walks from the farthest group to the device. */
export function fromOf(entry: Entry<OwnDevice>, { groups }: Pick<State, "groups">): Record<string, string> {
  const from: Record<string, string> = {};
  const above: Entry<OwnGroup>[] = [];
  for (let name = entry.own.group; name !== undefined; ) {
    const group: Entry<OwnGroup> | undefined = groups.get(entryKey(name));
    if (group === undefined || above.includes(group)) break;
    above.push(group);
    name = group.own.parent;
  }
  for (const { own } of above.reverse()) {
    note(own, `group:${own.name}`, from);
    if (own.window !== undefined) from.window = `group:${own.name}`;
    for (const member of policyMembers)
      if (own.change?.[member] !== undefined) from[`change.${member}`] = `group:${own.name}`;
  }
  from.host = entry.own.host === undefined ? "name" : "device";
  if (entry.own.group !== undefined) from.group = "device";
  if (entry.own.enabled !== undefined) from.enabled = "device";
  note(entry.own, "device", from);
  return from;
}

function note(entry: OwnDevice | OwnGroup, where: string, from: Record<string, string>): void {
  for (const field of scalars) if (entry[field] !== undefined) from[field] = where;
  for (const field of merged)
    for (const name of Object.keys(entry[field] ?? {})) from[`${field}.${name}`] = where;
  // Attributed to the topmost group that sets the tag.
  for (const tag of entry.tags ?? []) from[`tags.${tag}`] ??= where;
}
