/** Expands a bulk into devices: those it names, and those its selector matches in the inventory. */

import type { RestorePlan, TakePlan } from "../../api/history/history.ts";
import type { Discovery } from "../../api/inventory/facts.ts";
import type { StoredChecks } from "../../api/jobs/checks.ts";
import type { BulkRequest, OpenEnd } from "../../api/jobs/request.ts";
import type { RehearsalPlan } from "../../api/rehearsal/rehearsal.ts";
import type { Caller } from "../../auth/port.ts";
import { refuse } from "../../base/issues.ts";
import { isGiven } from "../../base/json/members.ts";
import {
  type ChoosingRequest,
  type Chosen,
  chosenOf,
  deviceAt,
  deviceNamed,
  hostIssues,
  noDevice,
  nothingSelected,
  refuseIfAny,
  type SelectionTools,
  selectDevices,
  uselessBounds,
  withoutHost,
} from "../request/device/selection.ts";
import type { Issue } from "../request/validate.ts";
import { type BulkLimits, createInventoryRoom, requireCount } from "./bulk-size.ts";

export type ExpandedBulk = BulkRequest & { readonly devices: Record<string, unknown>[] };

/** What the inventory adds to an entry. */
export interface ChosenEntry {
  /** The inventory name of the device. */
  readonly device?: string;
  readonly driver?: string;
  readonly members?: Chosen["members"];
  /** Set if the result is recorded in the inventory. */
  readonly discovery?: Discovery;
  /** In place of those of the request. */
  readonly driverArgs?: Readonly<Record<string, unknown>>;
  /** Set if the result is stored as a configuration. */
  readonly take?: TakePlan;
  /** Set if the lines stand for those of a version. */
  readonly restore?: RestorePlan;
  /** Set if the device is only checked. */
  readonly checks?: StoredChecks;
  /** The push is left open for this time, where the device can. */
  readonly holdSeconds?: number | undefined;
  /** Set if it ends such a push. */
  readonly ends?: OpenEnd | undefined;
  /** Set if the lines are those of the plan of a change, which is rehearsed. */
  readonly rehearses?: RehearsalPlan["change"];
  /** Why the device cannot be used. */
  readonly issues?: readonly Issue[];
}

export interface SelectedBulk {
  /** Entries include inventory values that the request does not set for all devices. */
  readonly request: ExpandedBulk;
  /** Per entry; undefined if it is not from the inventory. */
  readonly chosen: readonly (ChosenEntry | undefined)[];
  /** Inventory revision; undefined if the inventory was not used. */
  readonly revision: number | undefined;
}

/** @throws ServiceError Validation, PayloadTooLarge, Unavailable */
export async function expandBulk(
  tools: SelectionTools & BulkLimits,
  request: BulkRequest,
  caller: Caller,
  signal?: AbortSignal,
): Promise<SelectedBulk> {
  const { select, limit, sample, order } = request;
  const entries = request.devices ?? [];
  requireMeaning(request);
  const shared = request.connection_args ?? {};
  const snapshot = await tools.inventory.snapshot();
  const isNamed = (entry: Record<string, unknown>) => deviceAt(snapshot, entry, caller) !== undefined;
  if (isPlain(request) && !entries.some(isNamed))
    return { request: { ...request, devices: entries }, chosen: [], revision: undefined };
  refuseIfAny(hostIssues([shared], "connection_args"));
  const renders = isGiven(request.rendering) || isGiven(request.options?.rendering);
  const devices: Record<string, unknown>[] = [];
  const chosen: (ChosenEntry | undefined)[] = [];
  const named = new Set<string>();
  const room = createInventoryRoom(tools);

  function add(choice: Chosen, ownFields: Readonly<Record<string, unknown>>): void {
    const { device, driver, fields, members } = choice;
    const entry = laidBelow(fields, shared, ownFields);
    room.take(sizeOf(fields) + sizeOf(members));
    devices.push(entry);
    chosen.push({ device, driver, members });
  }

  function choosingRequest(callerFields: ChoosingRequest["callerFields"]): ChoosingRequest {
    return { driver: request.driver, callerFields, renders };
  }

  for (const [index, entry] of entries.entries()) {
    const { device: written, ...fields } = entry;
    const atHost = isGiven(written) ? undefined : deviceAt(snapshot, fields, caller);
    const name = atHost?.name ?? written;
    const ownFields = atHost === undefined ? fields : withoutHost(fields);
    if (!isGiven(name)) {
      devices.push(entry);
      chosen.push(undefined);
      continue;
    }
    const device = typeof name === "string" ? deviceNamed(snapshot, name, caller) : undefined;
    const issues = device
      ? hostIssues([ownFields], `devices.${index}`)
      : [noDevice(String(name), `devices.${index}.device`)];
    if (device && issues.length === 0) {
      named.add(device.name);
      add(chosenOf(snapshot, device, choosingRequest([shared, ownFields]), tools.plugins), ownFields);
    } else {
      devices.push(ownFields);
      chosen.push({ device: String(name).slice(0, 128), issues });
    }
  }
  if (isGiven(select)) {
    const selection = { select: select ?? "", limit, sample, order };
    const selected = await selectDevices(snapshot, selection, caller, signal);
    if (selected.length === 0) refuse([nothingSelected]);
    // An explicit entry takes precedence over the selector.
    const unnamed = selected.filter(({ name }) => !named.has(name));
    requireCount(devices.length + unnamed.length, tools);
    for (const device of unnamed)
      add(chosenOf(snapshot, device, choosingRequest([shared]), tools.plugins), {});
  }
  return { request: { ...request, devices }, chosen, revision: snapshot.revision };
}

/** Whether the request does not use the inventory. */
function isPlain({ select, devices }: BulkRequest): boolean {
  return !isGiven(select) && !devices?.some(({ device }) => isGiven(device));
}

/** @throws ServiceError Validation */
export function requireMeaning(request: BulkRequest): void {
  const { driver, devices, select, limit, sample } = request;
  const missing = [
    ...(isGiven(driver) || !isPlain(request) ? [] : [{ path: "driver", message: "is required" }]),
    ...(isGiven(devices) || isGiven(select)
      ? []
      : [{ path: "devices", message: "is required, or a selector in `select`" }]),
  ];
  refuseIfAny(missing);
  refuseIfAny(uselessBounds({ select, limit, sample }));
}

function sizeOf(value: object | undefined): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}

/** Drops inventory fields that the request sets for all devices; `host` equals `hostname`. */
export function laidBelow(
  fields: Readonly<Record<string, unknown>>,
  shared: Readonly<Record<string, unknown>>,
  ownFields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const below = Object.entries(fields).filter(([name]) => !isGiven(shared[name]));
  return { ...Object.fromEntries(below), ...ownFields };
}
