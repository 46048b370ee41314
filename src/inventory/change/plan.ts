/** Plans a change: from the current state and the request to the writes, or to the list of all issues. */

import { canonicalHost, isHost } from "../../api/identity.ts";
import {
  type EntryKind,
  entryKey,
  type inventoryLimits,
  type OwnDevice,
  type OwnGroup,
} from "../../api/inventory/inventory.ts";
import { ServiceError } from "../../base/errors.ts";
import { Issues, RowIssues } from "../../base/issues.ts";
import { parseExact, stringifyExact } from "../../base/json/exact-json.ts";
import { withoutNulls } from "../../base/json/members.ts";
import { giveWay } from "../../base/time/yield.ts";
import type { NewInventoryEntry } from "../../store/port.ts";
import type { ApplyOptions, InventoryDocument } from "../port.ts";
import type { Entry, State } from "../snapshot/state.ts";
import { checkEntry, checkMembers, type IsSecretField } from "./check.ts";
import type { Overlay } from "./credential-reach.ts";
import { type Difference, isUnchanged } from "./diff.ts";

export type Limits = { readonly [K in keyof typeof inventoryLimits]: number };

export interface PlanTools {
  readonly isSecretField: IsSecretField;
  readonly limits: Limits;
}

/** The requested change. */
export interface Asked {
  readonly document: InventoryDocument;
  readonly options: ApplyOptions;
  /** An entry to remove as well. */
  readonly removed?: { readonly kind: EntryKind; readonly name: string } | undefined;
}

export interface Plan {
  readonly devices: readonly NewInventoryEntry[];
  readonly groups: readonly NewInventoryEntry[];
  readonly differences: readonly Difference[];
  readonly unchanged: number;
  /** The named entries as they will be. */
  readonly over: Overlay;
}

export async function makePlan(
  state: State,
  { document, options, removed }: Asked,
  tools: PlanTools,
): Promise<Plan> {
  const issues = options.place === undefined ? new Issues() : new RowIssues();
  const groups = createSide<OwnGroup>("group", state.groups);
  const devices = createSide<OwnDevice>("device", state.devices);
  requireCount(document, tools.limits);
  await fill(groups, document.groups, options, issues, tools);
  await fill(devices, document.devices, options, issues, tools);
  if (options.createGroups) addGroups(groups, devices, options.source);
  if (options.mode === "mirror") {
    if (document.groups) mirror(groups, options);
    if (document.devices) mirror(devices, options);
  }
  if (removed?.kind === "group") remove(groups, entryKey(removed.name));
  if (removed?.kind === "device") remove(devices, entryKey(removed.name));
  // An invalid entry may make valid ones look wrong: stop here.
  issues.check();
  checkGroups(groups, devices, issues, tools.limits.depth);
  issues.check();
  requireRoom(state, groups, devices, tools.limits);
  const differences = [...groups.differences, ...devices.differences];
  requireChanges(differences, options);
  return {
    groups: groups.written,
    devices: devices.written,
    differences,
    unchanged: groups.unchanged + devices.unchanged,
    over: { devices: devices.over, groups: groups.over },
  };
}

async function fill<T extends OwnDevice | OwnGroup>(
  side: Side<T>,
  entries: readonly unknown[] | null | undefined,
  { mode = "merge", place, source }: ApplyOptions,
  issues: Issues,
  { isSecretField, limits }: PlanTools,
): Promise<void> {
  const { kind } = side;
  for (const [index, value] of (entries ?? []).entries()) {
    const waits = giveWay();
    if (waits !== undefined) await waits;
    const where = place === undefined ? `${kind}s.${index}` : place(kind, index);
    const at = (field: string) => (where === "" ? field : `${where}.${field}`);
    const input = checkEntry(kind, value, where, issues);
    if (input === undefined) continue;
    const key = entryKey(input.name);
    const other = side.places.get(key);
    if (other !== undefined) {
      issues.add(at("name"), `is also used by ${other}`);
      continue;
    }
    side.places.set(key, where);
    const faults = issues.count;
    checkMembers(input, where, issues, isSecretField);
    if (issues.count > faults) continue;
    const former = side.before.get(key);
    // The input and stored schemas differ only in nulls, which are dropped.
    const entry = withoutNulls<T>(
      Object.assign({}, mode === "merge" ? former?.own : undefined, input) as never,
    );
    const host =
      kind === "device" && "host" in entry && typeof entry.host === "string" ? entry.host : entry.name;
    if (kind === "device" && !isHost(host)) issues.add(at("host"), hostProblem(host === entry.name));
    const text = stringifyExact(entry);
    const maxBytes = kind === "device" ? limits.entryBytes : limits.groupBytes;
    if (Buffer.byteLength(text) > maxBytes)
      issues.add(where, `has more than ${maxBytes} bytes as JSON, which is the maximum of a ${kind}`);
    put(side, key, entry, { text, hostKey: kind === "device" ? canonicalHost(host) : "", source });
  }
}

function hostProblem(isName: boolean): string {
  return isName ? "is required: the name cannot be used as a host" : "must be a host name or an address";
}

function put<T extends OwnDevice | OwnGroup>(
  side: Side<T>,
  key: string,
  entry: T,
  { text, hostKey, source }: { text: string; hostKey: string; source: string | undefined },
): void {
  const former = side.before.get(key);
  side.over.set(key, entry);
  if (former !== undefined && isSame(former.own, entry, text)) {
    side.unchanged++;
    return;
  }
  side.growth += text.length - (former?.length ?? 0);
  side.written.push({
    key,
    hostKey,
    group: ("group" in entry ? entry.group : "parent" in entry ? entry.parent : undefined) ?? null,
    // The first source of an entry remains its source.
    source: former === undefined ? (source ?? null) : former.source,
    own: text,
  });
  side.differences.push({ kind: side.kind, name: entry.name, before: former?.own, after: entry });
}

/** Adds the groups that entries name and nobody has described. */
function addGroups(groups: Side<OwnGroup>, devices: Side<OwnDevice>, source: string | undefined): void {
  const named: [group: string | undefined, place: string][] = [
    ...[...groups.places].map(([key, place]): [string | undefined, string] => [
      afterOf(groups, key)?.parent,
      place,
    ]),
    ...[...devices.places].map(([key, place]): [string | undefined, string] => [
      afterOf(devices, key)?.group,
      place,
    ]),
  ];
  for (const [name, place] of named) {
    const key = name === undefined ? undefined : entryKey(name);
    if (name === undefined || key === undefined || afterOf(groups, key) !== undefined) continue;
    groups.places.set(key, place);
    put(groups, key, { name }, { text: stringifyExact({ name }), hostKey: "", source });
  }
}

/** Compares what would be read back: JSON has no -0 and no infinity. */
function isSame(former: object, entry: object, text: string): boolean {
  return isUnchanged(former, entry) || isUnchanged(former, parseExact(text));
}

/** Removes what the document does not name; for a source only entries it has created itself. */
function mirror<T extends OwnDevice | OwnGroup>(side: Side<T>, { source }: ApplyOptions): void {
  for (const [key, entry] of side.before)
    if (!side.places.has(key) && (source === undefined || entry.source === source)) remove(side, key);
}

function remove<T extends OwnDevice | OwnGroup>(side: Side<T>, key: string): void {
  const former = side.before.get(key);
  if (former === undefined) return;
  side.over.set(key, undefined);
  side.growth -= former.length;
  side.written.push({ key, hostKey: "", group: null, source: null, own: null });
  side.differences.push({ kind: side.kind, name: former.own.name, before: former.own, after: undefined });
}

function requireCount({ devices, groups }: InventoryDocument, limits: Limits): void {
  if ((devices?.length ?? 0) > limits.devices) throw tooMany("devices", limits.devices);
  if ((groups?.length ?? 0) > limits.groups) throw tooMany("groups", limits.groups);
}

function requireRoom(state: State, groups: Side<OwnGroup>, devices: Side<OwnDevice>, limits: Limits): void {
  const [deviceCount, groupCount] = [countAfter(devices), countAfter(groups)];
  if (deviceCount > limits.devices && deviceCount > state.devices.size)
    throw tooMany("devices", limits.devices);
  if (groupCount > limits.groups && groupCount > state.groups.size) throw tooMany("groups", limits.groups);
  const growth = groups.growth + devices.growth;
  if (growth > 0 && state.length + growth > limits.totalBytes)
    throw new ServiceError(
      "PayloadTooLarge",
      `The inventory would have more than ${limits.totalBytes / 1024 / 1024} MiB. Nothing was changed.`,
    );
}

function tooMany(kind: string, max: number): ServiceError {
  const text = `The inventory would have more than ${max} ${kind}. Nothing was changed.`;
  return new ServiceError("PayloadTooLarge", text);
}

function requireChanges(
  differences: readonly Difference[],
  { dryRun, maxChanges, maxRemovals }: ApplyOptions,
): void {
  if (dryRun) return;
  const removed = differences.filter(({ after }) => after === undefined).length;
  const issues = new Issues();
  const over = (path: string, count: number, max: number | null | undefined, verb: string) => {
    if (typeof max !== "number" || count <= max) return;
    issues.add(path, `${count} would be ${verb}, more than ${max}. Nothing was changed.`);
  };
  over("max_changes", differences.length, maxChanges, "added, changed or removed");
  over("max_removals", removed, maxRemovals, "removed");
  issues.check();
}

/** Checks that groups form a tree: parents exist, no cycles, limited depth. */
function checkGroups(
  groups: Side<OwnGroup>,
  devices: Side<OwnDevice>,
  issues: Issues,
  maxDepth: number,
): void {
  const isThere = (name: string) => afterOf(groups, entryKey(name)) !== undefined;
  for (const [key, place] of devices.places) {
    const group = afterOf(devices, key)?.group;
    if (group !== undefined && !isThere(group)) issues.add(at(place, "group"), missing(group));
  }
  if (removesSome(groups))
    for (const [key, { group, name }] of allAfter(devices))
      if (group !== undefined && !isThere(group) && !devices.places.has(key))
        issues.add("groups", `the group ${group} has to stay: the device ${name} is in it`);
  if (groups.written.length > 0) checkTree(groups, issues, maxDepth);
}

const missing = (group: string) => `there is no group ${group}: create it, or set create_groups`;

function checkTree(groups: Side<OwnGroup>, issues: Issues, maxDepth: number): void {
  const after = new Map(allAfter(groups));
  const isRemoved = removesSome(groups);
  const heights = new Map<string, number>();
  for (const [key, group] of after) {
    const place = groups.places.get(key);
    const parent = at(place ?? `groups ${group.name}`, "parent");
    const height = heightOf(key, after, heights);
    if (group.parent !== undefined && !after.has(entryKey(group.parent))) {
      if (place !== undefined) issues.add(parent, missing(group.parent));
      else if (isRemoved)
        issues.add("groups", `the group ${group.parent} has to stay: the group ${group.name} is in it`);
    } else if (height === "circle") {
      // At least one member of the cycle is in the document.
      if (place !== undefined) issues.add(parent, "its ancestors would form a cycle");
    } else if (height > maxDepth) issues.add(parent, `more than ${maxDepth} groups would be nested`);
  }
}

/** The depth of a group, counted from the top of its tree. */
function heightOf(
  start: string,
  groups: ReadonlyMap<string, OwnGroup>,
  heights: Map<string, number>,
): number | "circle" {
  const path: string[] = [];
  const visited = new Set<string>();
  let key: string | undefined = start;
  while (key !== undefined && !heights.has(key)) {
    if (visited.has(key)) return "circle";
    const group = groups.get(key);
    if (group === undefined) break;
    visited.add(key);
    path.push(key);
    key = group.parent === undefined ? undefined : entryKey(group.parent);
  }
  let height = (key === undefined ? undefined : heights.get(key)) ?? 0;
  for (const passed of path.reverse()) heights.set(passed, ++height);
  return height;
}

function at(place: string, field: string): string {
  return place === "" ? field : `${place}.${field}`;
}

/** One side of a change, all devices or all groups: the entries before, and an overlay of writes. */
interface Side<T> {
  readonly kind: EntryKind;
  readonly before: ReadonlyMap<string, Entry<T>>;
  /** By key: the written entry, or undefined if removed. */
  readonly over: Map<string, T | undefined>;
  /** Paths in the document, by key. */
  readonly places: Map<string, string>;
  readonly written: NewInventoryEntry[];
  readonly differences: Difference[];
  unchanged: number;
  /** Growth of the total JSON length. */
  growth: number;
}

function createSide<T>(kind: EntryKind, before: ReadonlyMap<string, Entry<T>>): Side<T> {
  return {
    kind,
    before,
    over: new Map(),
    places: new Map(),
    written: [],
    differences: [],
    unchanged: 0,
    growth: 0,
  };
}

/** The entry after the change. */
function afterOf<T>({ over, before }: Side<T>, key: string): T | undefined {
  return over.has(key) ? over.get(key) : before.get(key)?.own;
}

function* allAfter<T>({ over, before }: Side<T>): Generator<[string, T]> {
  for (const [key, { own }] of before) if (!over.has(key)) yield [key, own];
  for (const [key, own] of over) if (own !== undefined) yield [key, own];
}

function countAfter<T>({ before, differences }: Side<T>): number {
  return differences.reduce(
    (count, difference) =>
      count + (difference.before === undefined ? 1 : 0) - (difference.after === undefined ? 1 : 0),
    before.size,
  );
}

function removesSome<T>({ differences }: Side<T>): boolean {
  return differences.some(({ after }) => after === undefined);
}
