/** What is exported: devices and groups as they are written, and devices with what they inherit. */
import type { OwnDevice, OwnGroup } from "../../model/inventory.ts";
import type { EffectiveDevice } from "../port.ts";

export interface ExportedDevice {
  readonly own: OwnDevice;
  readonly effective: EffectiveDevice;
}

export interface Exported {
  readonly devices: readonly ExportedDevice[];
  /** Those above come before those below. */
  readonly groups: readonly OwnGroup[];
}

/** Absent members are left out. */
export function compact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && !isEmpty(value)),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
