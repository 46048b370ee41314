/** Checks that groups form a tree: parents exist, no cycles, limited depth. */

import { entryKey, type OwnDevice, type OwnGroup } from "../api/inventory.ts";
import type { Issues } from "../base/issues.ts";
import { afterOf, allAfter, removesSome, type Side } from "./side.ts";

export function checkGroups(
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
