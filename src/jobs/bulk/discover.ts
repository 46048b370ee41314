/** Discovers inventory devices: a bulk in which each device is queried by a suitable driver. */

import { type Discovery, isOpenPlatform } from "../../api/inventory/facts.ts";
import { type DiscoverRequest, discoverRequest } from "../../api/jobs/request.ts";
import { requireScope } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { refuse } from "../../base/issues.ts";
import { isGiven } from "../../base/json/members.ts";
import { neverAborted } from "../../base/time/deadline.ts";
import { createTimeBudget } from "../../base/time/time-budget.ts";
import type { EffectiveDevice, Snapshot } from "../../inventory/port.ts";
import type { DriverPlugin } from "../../plugin/index.ts";
import type { Jobs } from "../port.ts";
import type { Plugins } from "../request/device/connection.ts";
import {
  chosenOf,
  deviceNamed,
  hostIssues,
  noDevice,
  nothingSelected,
  refuseIfAny,
  selectDevices,
  uselessBounds,
} from "../request/device/selection.ts";
import { checkShape, type Issue } from "../request/validate.ts";
import type { BulkTools, SubmitChosen } from "./bulk.ts";
import { type ChosenEntry, laidBelow, type SelectedBulk } from "./bulk-selection.ts";
import { createInventoryRoom, requireCount } from "./bulk-size.ts";

export function createDiscover(tools: BulkTools, submit: SubmitChosen): Jobs["discover"] {
  return async (body, caller, key, signal = neverAborted, budget = createTimeBudget()) => {
    const submission = { endpoint: "discover", body, caller, key, budget } as const;
    return submit(submission, signal, () => {
      const request = readDiscover(body.value, caller);
      return () => chooseDevices(tools, request, caller, signal);
    });
  };
}

/** @throws ServiceError Validation, Forbidden */
export function readDiscover(value: unknown, caller: Caller): DiscoverRequest {
  const request = checkShape(discoverRequest, value);
  refuseIfAny(shapeIssues(request));
  if (request.apply) requireWriter(caller);
  return request;
}

function shapeIssues({ device, select, limit, sample, connection_args }: DiscoverRequest): Issue[] {
  const issues = hostIssues([connection_args ?? {}], "connection_args");
  if (!isGiven(device) && !isGiven(select))
    issues.push({ path: "select", message: "is required, or the name of a `device`" });
  if (isGiven(device) && isGiven(select)) issues.push({ path: "select", message: "excludes device" });
  return [...issues, ...uselessBounds({ select, limit, sample })];
}

/** Platforms affect what selectors of keys match, so changes need write access. @throws ServiceError Forbidden */
function requireWriter(caller: Caller): void {
  requireScope(caller, "admin");
  if (caller.hosts.length > 0)
    throw new ServiceError(
      "Forbidden",
      "apply: changing the inventory needs an admin key that may reach all hosts.",
    );
}

async function chooseDevices(
  tools: BulkTools,
  request: DiscoverRequest,
  caller: Caller,
  signal: AbortSignal,
): Promise<SelectedBulk> {
  const { device: _device, apply: _apply, limit: _limit, sample: _sample, ...shared } = request;
  const snapshot = await tools.inventory.snapshot();
  const selected = await devicesOf(snapshot, request, caller, signal);
  requireCount(selected.length, tools);
  const room = createInventoryRoom(tools);
  const by = request.apply ? { keyId: caller.keyId, name: caller.name, from: caller.from } : undefined;
  const devices: Record<string, unknown>[] = [];
  const chosen: ChosenEntry[] = [];
  for (const device of selected) {
    const { entry, choice } = askedOf(snapshot, device, request, tools.plugins);
    room.take(JSON.stringify(entry).length);
    const discovery: Discovery = { device: device.name, ...(by ? { apply: by } : {}) };
    devices.push(entry);
    chosen.push({ ...choice, device: device.name, discovery });
  }
  return { request: { ...shared, devices }, chosen, revision: snapshot.revision };
}

async function devicesOf(
  snapshot: Snapshot,
  { device: name, select, limit, sample }: DiscoverRequest,
  caller: Caller,
  signal: AbortSignal,
): Promise<readonly EffectiveDevice[]> {
  if (isGiven(name)) {
    const device = deviceNamed(snapshot, name ?? "", caller);
    return device ? [device] : refuse([noDevice(name ?? "", "device")]);
  }
  const devices = await selectDevices(snapshot, { select: select ?? "", limit, sample }, caller, signal);
  return devices.length === 0 ? refuse([nothingSelected]) : devices;
}

function askedOf(
  snapshot: Snapshot,
  device: EffectiveDevice,
  { connection_args }: DiscoverRequest,
  plugins: Plugins,
): { readonly entry: Record<string, unknown>; readonly choice: ChosenEntry } {
  const isOpen = isOpenPlatform(device.platform);
  const driver = driverFor(device.driver, isOpen ? null : device.platform, plugins);
  const query = driver?.discovers?.(isOpen ? null : device.platform);
  const shared = connection_args ?? {};
  const choosingRequest = { driver: driver?.name, callerFields: [shared], renders: false };
  const { fields } = chosenOf(snapshot, device, choosingRequest, plugins);
  if (driver === undefined || query === undefined) {
    const message = "has a driver that cannot detect platforms";
    return { entry: { host: device.host }, choice: { issues: [{ path: "platform", message }] } };
  }
  const platform = isOpen && device.platform !== null ? device.platform : query.platform;
  const ownFields = { [driver.platformField ?? "device_type"]: platform, command: [query.command] };
  return { entry: laidBelow(fields, shared, ownFields), choice: { driver: driver.name } };
}

/** The driver of the device if it supports discovery; otherwise one with structured output. */
function driverFor(
  ownDriver: string | null,
  platform: string | null,
  plugins: Plugins,
): DriverPlugin | undefined {
  const drivers = plugins.list("driver").filter((driver) => {
    const query = driver.discovers?.(platform);
    return query !== undefined && (query.ownOnly !== true || driver.name === ownDriver);
  });
  return (
    drivers.find(({ name }) => name === ownDriver) ??
    drivers.find((driver) => driver.discovers?.(platform)?.structured === true) ??
    drivers[0]
  );
}
