/** The input of an export: devices and groups as written, and devices with inherited values. */

import type { OwnDevice, OwnGroup } from "../../api/inventory.ts";
import { orderedEntries, orderedRecord } from "../../base/json/exact-json.ts";
import type { EffectiveDevice } from "../port.ts";

export interface ExportedDevice {
  readonly own: OwnDevice;
  readonly effective: EffectiveDevice;
}

export interface Exported {
  readonly devices: readonly ExportedDevice[];
  /** Parents before children. */
  readonly groups: readonly OwnGroup[];
}

/** Variables as they are, followed by the fields that are present. */
export function withFields(
  vars: Readonly<Record<string, unknown>> = {},
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return orderedRecord([...orderedEntries(vars), ...Object.entries(compact(fields))]);
}

/** Drops members that are undefined, null or empty. */
export function compact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && !isEmpty(value)),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
