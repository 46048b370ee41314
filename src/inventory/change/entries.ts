/** Reads, replaces, patches and removes one device or group, with an optional precondition on its revision. */

import { type EntryKind, entryKey } from "../../api/inventory/inventory.ts";
import { requireScope } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { invalid } from "../../base/issues.ts";
import { orderedEntries, orderedRecord } from "../../base/json/exact-json.ts";
import { isRecord } from "../../base/json/members.ts";
import type { KnownFacts } from "../known-facts.ts";
import { seenBy } from "../lists.ts";
import type { Changed, EntryRecord, Inventory, Precondition, Snapshot } from "../port.ts";
import { maySeeDevice, requireWriter } from "../rights.ts";
import type { Read } from "../snapshot/reader.ts";
import { type Iso, recordOf } from "../snapshot/records.ts";
import type { Change } from "./change.ts";
import type { Asked } from "./plan.ts";

export interface EntryTools {
  readonly snapshot: () => Promise<Snapshot>;
  readonly iso: Iso;
  readonly change: Change;
  readonly facts: KnownFacts;
}

export type Entries = Pick<Inventory, "read" | "put" | "patch" | "remove">;

export function createEntries({ snapshot, iso, change, facts }: EntryTools): Entries {
  async function requireRecord(kind: EntryKind, name: string): Promise<EntryRecord> {
    const record = recordOf(await snapshot(), kind, name, false, iso);
    if (record !== undefined) return record;
    throw new ServiceError(
      "PreconditionFailed",
      `The ${kind} ${name} was written, and has been removed since.`,
    );
  }

  async function write(
    kind: EntryKind,
    name: string,
    entryOf: (former: object | undefined) => unknown,
    caller: Caller,
    when: Precondition,
  ): Promise<Changed> {
    requireWriter(caller);
    const ask = ({ state }: Read): Asked => {
      const former = (kind === "device" ? state.devices : state.groups).get(entryKey(name));
      requireState(when, former?.revision, kind, name);
      const entries = [entryOf(former?.own)];
      return {
        document: kind === "device" ? { devices: entries } : { groups: entries },
        options: { mode: "replace", place: () => "" },
      };
    };
    const { added } = await change(ask, caller, false);
    return { record: await requireRecord(kind, name), added: added > 0 };
  }

  return {
    async read(kind, name, caller, effective) {
      requireScope(caller, "read");
      const now = await snapshot();
      const record = (await isSeen(now, kind, name, caller)) && recordOf(now, kind, name, effective, iso);
      if (!record) throw notFound(kind, name);
      if (kind === "group") return record;
      const [shown] = await facts.shown(now, [record]);
      return shown ?? record;
    },

    put: (kind, name, body, caller, when) => write(kind, name, () => named(body, name), caller, when),

    patch: (kind, name, body, caller, when) =>
      write(
        kind,
        name,
        (former) => {
          if (former === undefined) throw notFound(kind, name);
          return named(merged({ ...former }, body), name);
        },
        caller,
        when,
      ),

    async remove(kind, name, caller, when) {
      requireWriter(caller);
      const ask = ({ state }: Read): Asked => {
        const former = (kind === "device" ? state.devices : state.groups).get(entryKey(name));
        if (former === undefined) throw notFound(kind, name);
        requireState(when, former.revision, kind, name);
        if (kind === "group") requireUnused(name, state);
        return { document: {}, options: {}, removed: { kind, name } };
      };
      await change(ask, caller, false);
    },
  };
}

async function isSeen(now: Snapshot, kind: EntryKind, name: string, caller: Caller): Promise<boolean> {
  if (kind === "device") {
    const device = now.device(name);
    return device !== undefined && maySeeDevice(caller, device);
  }
  if (caller.hosts.length === 0) return true;
  const { groups } = await seenBy(caller, now);
  return groups.some((group) => entryKey(group.name) === entryKey(name));
}

/** The name in the path decides; the body may spell it in another case. */
function named(body: unknown, name: string): unknown {
  if (!isRecord(body)) return body;
  if (body.name === undefined) return { ...body, name };
  if (typeof body.name === "string" && entryKey(body.name) !== entryKey(name))
    throw invalid("name", "must equal the name in the path");
  return body;
}

/** Applies a JSON merge patch (RFC 7396). */
function merged(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result = new Map(isRecord(target) ? orderedEntries(target) : []);
  for (const [name, value] of orderedEntries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, merged(result.get(name), value));
  }
  return orderedRecord(result);
}

/** @throws ServiceError PreconditionFailed */
function requireState(when: Precondition, revision: number | undefined, kind: EntryKind, name: string): void {
  if (when === undefined) return;
  if (when === "none" && revision === undefined) return;
  if (when === "*" && revision !== undefined) return;
  if (when === revision) return;
  const now = revision === undefined ? "is not there" : `is at revision ${revision}`;
  throw new ServiceError("PreconditionFailed", `The ${kind} ${name} ${now}: read it again and retry.`);
}

/** @throws ServiceError InUse */
function requireUnused(name: string, { devices, groups }: Read["state"]): void {
  const key = entryKey(name);
  for (const { own } of groups.values())
    if (own.parent !== undefined && entryKey(own.parent) === key) throw inUse(name, `group ${own.name}`);
  for (const { own } of devices.values())
    if (own.group !== undefined && entryKey(own.group) === key) throw inUse(name, `device ${own.name}`);
}

function inUse(name: string, by: string): ServiceError {
  return new ServiceError(
    "InUse",
    `The group ${name} is in use: the ${by} is in it. Remove it from there first.`,
  );
}

function notFound(kind: EntryKind, name: string): ServiceError {
  return new ServiceError("NotFound", `There is no ${kind} named ${name.slice(0, 128)}.`);
}
