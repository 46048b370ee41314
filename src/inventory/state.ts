/** What was written into the inventory, as it is at one revision; a change makes another state. */
import * as v from "valibot";
import { withoutNulls } from "../base/members.ts";
import { deviceFields, groupFields, type OwnDevice, type OwnGroup } from "../model/inventory.ts";
import type { StoredInventoryEntry } from "../store/port.ts";
import type { Written } from "./port.ts";

export interface Entry<T> extends Written<T> {
  /** The name in small letters. */
  readonly key: string;
  readonly hostKey: string;
  /** Of its JSON text. */
  readonly length: number;
}

export interface State {
  readonly revision: number;
  readonly devices: ReadonlyMap<string, Entry<OwnDevice>>;
  readonly groups: ReadonlyMap<string, Entry<OwnGroup>>;
  /** Devices that are there and can not be read, by name in small letters: where each is, and the group that it is in. */
  readonly lost: ReadonlyMap<string, LostDevice>;
  /** Of all JSON texts together. */
  readonly length: number;
}

export type LostDevice = Pick<StoredInventoryEntry, "hostKey" | "group">;

export const emptyState: State = {
  revision: 0,
  devices: new Map(),
  groups: new Map(),
  lost: new Map(),
  length: 0,
};

/** A newer version may have written fields that this one does not know. */
const keptDevice = v.object(deviceFields);
const keptGroup = v.object(groupFields);

/** @returns undefined where it can not be read: damaged, or of a version that wrote it otherwise. */
export function readDevice(stored: StoredInventoryEntry): Entry<OwnDevice> | undefined {
  const own = read(keptDevice, stored);
  return own && entryOf(stored, withoutNulls<OwnDevice>(own));
}

export function readGroup(stored: StoredInventoryEntry): Entry<OwnGroup> | undefined {
  const own = read(keptGroup, stored);
  return own && entryOf(stored, withoutNulls<OwnGroup>(own));
}

function read<S extends v.GenericSchema>(
  schema: S,
  { own }: StoredInventoryEntry,
): v.InferOutput<S> | undefined {
  if (own === null) return undefined;
  const result = v.safeParse(schema, JSON.parse(own));
  return result.success ? result.output : undefined;
}

function entryOf<T>({ key, hostKey, revision, changedAt, source, own }: StoredInventoryEntry, value: T) {
  return { key, hostKey, revision, changedAt, source, own: value, length: own?.length ?? 0 };
}
