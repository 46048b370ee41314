/** API records of devices and groups, as written or with inherited values. */
import type { DeviceRecord, EntryKind, GroupRecord } from "../../api/inventory/inventory.ts";
import type { Snapshot, Written } from "../port.ts";

export type Iso = (ms: number) => string;

/** @returns undefined if there is no device of that name. */
export function deviceRecordOf(
  snapshot: Snapshot,
  name: string,
  effective: boolean,
  iso: Iso,
): DeviceRecord | undefined {
  const written = snapshot.ownDevice(name);
  if (written === undefined) return undefined;
  if (!effective) return { ...written.own, ...standing(written, iso) };
  const device = snapshot.device(name);
  if (device === undefined) return undefined;
  const { hostKey: _key, lostGroup: _lost, changeFrom: _from, ...shown } = device;
  const from = snapshot.from(name);
  return { ...shown, ...standing(written, iso), ...(from === undefined ? {} : { from }) };
}

/** @returns undefined if there is no group of that name. */
export function groupRecordOf(
  snapshot: Snapshot,
  name: string,
  effective: boolean,
  iso: Iso,
): GroupRecord | undefined {
  const written = snapshot.ownGroup(name);
  if (written === undefined) return undefined;
  if (!effective) return { ...written.own, ...standing(written, iso) };
  const group = snapshot.group(name);
  if (group === undefined) return undefined;
  const { lostGroup: _lost, changeFrom: _from, ...shown } = group;
  return { ...shown, ...standing(written, iso) };
}

export const recordOf = (snapshot: Snapshot, kind: EntryKind, name: string, effective: boolean, iso: Iso) =>
  (kind === "device" ? deviceRecordOf : groupRecordOf)(snapshot, name, effective, iso);

function standing({ revision, changedAt, source }: Written<unknown>, iso: Iso) {
  return { source, revision, changed_at: iso(changedAt) };
}
