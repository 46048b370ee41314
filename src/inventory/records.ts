/** API records of devices and groups, as written or with inherited values. */
import type { DeviceRecord, EntryKind } from "../api/inventory.ts";
import type { Snapshot, Written } from "./port.ts";

export type Iso = (ms: number) => string;

/** @returns undefined if there is no entry of that name. */
export function recordOf(
  snapshot: Snapshot,
  kind: EntryKind,
  name: string,
  effective: boolean,
  iso: Iso,
): DeviceRecord | undefined {
  const written = kind === "device" ? snapshot.ownDevice(name) : snapshot.ownGroup(name);
  if (written === undefined) return undefined;
  if (!effective) return { ...written.own, ...standing(written, iso) };
  if (kind === "group") {
    const group = snapshot.group(name);
    if (group === undefined) return undefined;
    const { lostGroup: _lost, ...shown } = group;
    return { ...shown, ...standing(written, iso) };
  }
  const device = snapshot.device(name);
  if (device === undefined) return undefined;
  const { hostKey: _key, lostGroup: _lost, ...shown } = device;
  return { ...shown, ...standing(written, iso), from: snapshot.from(name) };
}

function standing({ revision, changedAt, source }: Written<unknown>, iso: Iso) {
  return { source, revision, changed_at: iso(changedAt) };
}
