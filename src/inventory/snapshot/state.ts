/** The entries of the inventory at one revision, immutable. */
import * as v from "valibot";
import { deviceFields, groupFields, type OwnDevice, type OwnGroup } from "../../api/inventory/inventory.ts";
import { parseExact } from "../../base/json/exact-json.ts";
import { withoutNulls } from "../../base/json/members.ts";
import type { StoredInventoryEntry } from "../../store/port.ts";
import type { Written } from "../port.ts";

export interface Entry<T> extends Written<T> {
  /** The lower-cased name. */
  readonly key: string;
  readonly hostKey: string;
  /** Length of its JSON text. */
  readonly length: number;
}

export interface State {
  readonly revision: number;
  readonly devices: ReadonlyMap<string, Entry<OwnDevice>>;
  readonly groups: ReadonlyMap<string, Entry<OwnGroup>>;
  /** Devices that cannot be read, by lower-cased name, with host and group. */
  readonly lost: ReadonlyMap<string, LostDevice>;
  /** Total length of all JSON texts. */
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

/** Ignores unknown fields: a newer version may have written them. */
const keptDevice = v.object(deviceFields);
const keptGroup = v.object(groupFields);

/** @returns undefined if it cannot be read: damaged, or written by an incompatible version. */
export function readDevice(stored: StoredInventoryEntry): Entry<OwnDevice> | undefined {
  const device = read(keptDevice, stored);
  return device && entryOf(stored, withoutNulls<OwnDevice>(device));
}

export function readGroup(stored: StoredInventoryEntry): Entry<OwnGroup> | undefined {
  const group = read(keptGroup, stored);
  return group && entryOf(stored, withoutNulls<OwnGroup>(group));
}

function read<S extends v.GenericSchema>(
  schema: S,
  { own }: StoredInventoryEntry,
): v.InferOutput<S> | undefined {
  if (own === null) return undefined;
  const result = v.safeParse(schema, parseExact(own));
  return result.success ? result.output : undefined;
}

function entryOf<T>({ key, hostKey, revision, changedAt, source, own }: StoredInventoryEntry, value: T) {
  return { key, hostKey, revision, changedAt, source, own: value, length: own?.length ?? 0 };
}
