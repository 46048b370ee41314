/** The field-by-field diff of a change: in full for the caller, summarized for the audit trail. */
import { isDeepStrictEqual } from "node:util";
import { policyMembers } from "../../api/changes/change-policy.ts";
import { type EntryKind, type InventoryChange, inventoryLimits } from "../../api/inventory/inventory.ts";
import { isSameExact, stringifyExact } from "../../base/json/exact-json.ts";
import { isRecord } from "../../base/json/members.ts";
import type { NewAuditEntry } from "../../store/port.ts";

/** A device or group before and after the change. */
export interface Difference {
  readonly kind: EntryKind;
  readonly name: string;
  readonly before: object | undefined;
  readonly after: object | undefined;
}

type Fields = Record<string, { from: unknown; to: unknown }>;

/** Compared member by member. */
const maps = new Set(["change", "connection", "vars"]);

export function fieldsOf({ before, after }: Difference): Fields {
  if (after === undefined) return {};
  const [old, now] = [membersOf(before), membersOf(after)];
  const fields: Fields = {};
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (name === "name" && before === undefined) continue;
    if (!maps.has(name)) compare(name, old[name], now[name], fields);
    else {
      const [was, is] = [membersOf(old[name]), membersOf(now[name])];
      for (const member of new Set([...Object.keys(was), ...Object.keys(is)]))
        compare(`${name}.${member}`, ownMember(was, member), ownMember(is, member), fields);
    }
  }
  return fields;
}

/** Own members only: a variable may be named `toString`. */
function ownMember(members: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function compare(name: string, from: unknown, to: unknown, into: Fields): void {
  const isSame = name.startsWith("vars.") ? isSameVariable(from, to) : isDeepStrictEqual(from, to);
  if (!isSame) into[name] = { from: from ?? null, to: to ?? null };
}

/** Whether nothing of an entry differs; the order of its fields and of its variables does not matter. */
export function isUnchanged(before: object, after: unknown): boolean {
  const fields = fieldsOf({ kind: "device", name: "", before, after: isRecord(after) ? after : {} });
  return Object.keys(fields).length === 0;
}

/** Templates see the order of keys within a variable. */
function isSameVariable(from: unknown, to: unknown): boolean {
  return isDeepStrictEqual(from, to) && isSameExact(from, to);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function changeOf({ before, after }: Difference): InventoryChange["change"] {
  return before === undefined ? "added" : after === undefined ? "removed" : "changed";
}

/** The first differences, up to the limit. */
export function limitedDiff(differences: readonly Difference[]): {
  diff: InventoryChange[];
  diff_truncated: boolean;
} {
  const diff: InventoryChange[] = [];
  let chars = 0;
  for (const difference of differences.slice(0, inventoryLimits.diff)) {
    const change = {
      kind: difference.kind,
      name: difference.name,
      change: changeOf(difference),
      fields: fieldsOf(difference),
    };
    chars += stringifyExact(change).length;
    if (chars > inventoryLimits.diffChars) break;
    diff.push(change);
  }
  return { diff, diff_truncated: diff.length < differences.length };
}

/** Fields whose values are shown. Values in `connection`, `vars` and `credential` never are. */
const plain = new Set([
  "name",
  "host",
  "port",
  "platform",
  "driver",
  "site",
  "role",
  "group",
  "parent",
  "enabled",
  ...policyMembers.map((member) => `change.${member}`),
]);
const maxDetail = 1_000;

export function auditOf(difference: Difference): Omit<NewAuditEntry, "caller"> {
  const { kind, name, before, after } = difference;
  const outcome = changeOf(difference);
  const fields = Object.entries(fieldsOf(difference)).map(([field, { from, to }]) => {
    if (!plain.has(field)) return field;
    return before === undefined ? `${field} ${textOf(to)}` : `${field} ${textOf(from)} -> ${textOf(to)}`;
  });
  const detail = [name, fields.join(", ")].filter((text) => text !== "").join(": ");
  return {
    action: `inventory.${kind}.${after === undefined ? "remove" : "put"}`,
    host: kind === "device" ? hostOf(difference) : null,
    outcome,
    detail: detail.slice(0, maxDetail),
  };
}

/** The host that decides who sees the entry: a key limited to hosts sees devices it reached before and after. */
function hostOf({ name, before, after }: Difference): string | null {
  const host = (values: object | undefined) =>
    values === undefined ? undefined : String(membersOf(values).host ?? name);
  const [was, is] = [host(before), host(after)];
  return was !== undefined && is !== undefined && was !== is ? null : (is ?? was ?? null);
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? "none" : String(value).slice(0, 200);
}
