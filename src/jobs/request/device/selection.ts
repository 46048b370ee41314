/** Inventory devices in requests: selects the devices a caller may use, and the fields they contribute. */

import type { BulkOrder } from "../../../api/jobs/request.ts";
import { anyCaller, shareOf } from "../../../auth/caller.ts";
import type { Caller } from "../../../auth/port.ts";
import { mayReach, reachOf } from "../../../auth/reach.ts";
import { ServiceError } from "../../../base/errors.ts";
import { refuse } from "../../../base/issues.ts";
import { isGiven } from "../../../base/json/members.ts";
import type { EffectiveDevice, Inventory, Snapshot } from "../../../inventory/port.ts";
import { matchingDevices } from "../../../inventory/selector/matching-devices.ts";
import { readSelector } from "../../../inventory/selector/selector.ts";
import type { DriverPlugin } from "../../../plugin/index.ts";
import { fieldsOf } from "../../../registry/fields.ts";
import { inOrder } from "../../bulk/bulk-order.ts";
import { membersOf, type TemplateMembers } from "../template-members.ts";
import type { Issue } from "../validate.ts";
import type { Plugins } from "./connection.ts";

export interface SelectionTools {
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly plugins: Plugins;
}

/** The contribution of an inventory device to a request. */
export interface Chosen {
  /** Its inventory name. */
  readonly device: string;
  readonly driver: string | undefined;
  /** Defaults for `connection_args`; the request takes precedence. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Members for template contexts, if the request renders one. */
  readonly members: TemplateMembers | undefined;
}

/** The part of a request that determines the contribution of a device. */
export interface ChoosingRequest {
  readonly driver: string | null | undefined;
  /** Connection fields given by the caller. */
  readonly callerFields: readonly Readonly<Record<string, unknown>>[];
  readonly renders: boolean;
}

export interface Selection {
  readonly select: string;
  readonly limit?: number | null;
  readonly sample?: number | null;
  readonly order?: BulkOrder | null;
}

/** Sorted by name; devices out of reach are neither returned nor counted. @throws ServiceError Validation */
export async function selectDevices(
  snapshot: Snapshot,
  { select, limit, sample, order }: Selection,
  caller: Caller,
  signal?: AbortSignal,
): Promise<readonly EffectiveDevice[]> {
  const fitting = await devicesFitting(snapshot, select, caller, signal);
  const ordered = inOrder(sample ? sampleOf(fitting, sample) : fitting, order);
  return limit ? ordered.slice(0, limit) : ordered;
}

/** A random sample, in the original order. */
function sampleOf(devices: readonly EffectiveDevice[], count: number): EffectiveDevice[] {
  const sampled = new Set(inOrder(devices, "random").slice(0, count));
  return devices.filter((device) => sampled.has(device));
}

/** @throws ServiceError Validation, Cancelled */
export function devicesFitting(
  snapshot: Snapshot,
  select: string,
  caller: Pick<Caller, "hosts" | "keyId">,
  signal?: AbortSignal,
): Promise<EffectiveDevice[]> {
  const reach = reachOf(caller.hosts);
  const evaluation = { whose: shareOf(caller), signal };
  return matchingDevices(snapshot.all(), [readSelector(select)], snapshot, evaluation, ({ host }) =>
    reach.allows(host),
  );
}

/** @returns undefined if there is none, or the caller may not see it. */
export function deviceNamed(snapshot: Snapshot, name: string, caller: Caller): EffectiveDevice | undefined {
  const device = snapshot.device(name);
  return device && mayReach(caller, device.host) ? device : undefined;
}

/** A host that is the name of an inventory device, rather than an address, is that device. */
export function deviceAt(
  snapshot: Snapshot,
  { host, hostname }: Readonly<Record<string, unknown>>,
  caller: Caller,
): EffectiveDevice | undefined {
  const written = host ?? hostname;
  if (typeof written !== "string" || (isGiven(host) && isGiven(hostname) && host !== hostname))
    return undefined;
  return deviceNamed(snapshot, written, caller);
}

/** Without the host, which the inventory has. */
export function withoutHost(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { host: _host, hostname: _hostname, ...others } = fields;
  return others;
}

export function noDevice(name: string, path: string): Issue {
  const message = `There is no device "${name.slice(0, 128)}" in the inventory that ${anyCaller} may reach.`;
  return { path, message };
}

export const nothingSelected: Issue = {
  path: "select",
  message: `matches no inventory device that ${anyCaller} may reach`,
};

export function noDriver(device: string | undefined): Issue {
  const message =
    device === undefined
      ? "is required"
      : `is required: the device ${device} has none in the inventory; set it there or here`;
  return { path: "driver", message };
}

/** A request for one device, completed from the inventory. */
export interface DeviceRequest {
  readonly driver: string;
  readonly connection: Record<string, unknown>;
  /** Inventory name; undefined if it is not from the inventory. */
  readonly device: string | undefined;
  readonly members: TemplateMembers | undefined;
  /** Inventory revision. */
  readonly revision: number | undefined;
}

/** @param lookUp false: a host that is a device's name is not looked up. @throws ServiceError Validation, Unavailable */
export async function withDevice(
  tools: SelectionTools,
  request: {
    readonly device?: string | null;
    readonly driver?: string | null;
    readonly connection_args?: Record<string, unknown> | null;
  },
  renders: boolean,
  caller: Caller,
  lookUp = true,
): Promise<DeviceRequest> {
  const { device: name, driver, connection_args } = request;
  const snapshot = await tools.inventory.snapshot();
  const atHost = name || !lookUp ? undefined : deviceAt(snapshot, connection_args ?? {}, caller);
  if (!name && !atHost) {
    requireOwn(request);
    return {
      driver: driver ?? "",
      connection: connection_args ?? {},
      device: undefined,
      members: undefined,
      revision: undefined,
    };
  }
  const connectionArgs = atHost ? withoutHost(connection_args ?? {}) : (connection_args ?? {});
  refuseIfAny(hostIssues([connectionArgs], "connection_args"));
  const device = atHost ?? deviceNamed(snapshot, name ?? "", caller);
  if (!device) return refuse([noDevice(name ?? "", "device")]);
  const chosen = chosenOf(
    snapshot,
    device,
    { driver, callerFields: [connectionArgs], renders },
    tools.plugins,
  );
  if (chosen.driver === undefined) return refuse([noDriver(device.name)]);
  return {
    driver: chosen.driver,
    connection: { ...chosen.fields, ...connectionArgs },
    device: device.name,
    members: chosen.members,
    revision: snapshot.revision,
  };
}

/** Template members of a device. @throws ServiceError Validation, Unavailable */
export async function membersFor(
  { inventory }: SelectionTools,
  name: string,
  caller: Caller,
): Promise<TemplateMembers> {
  const snapshot = await inventory.snapshot();
  const device = deviceNamed(snapshot, name, caller);
  return device ? membersOf(snapshot, device) : refuse([noDevice(name, "device")]);
}

export function chosenOf(
  snapshot: Snapshot,
  device: EffectiveDevice,
  request: ChoosingRequest,
  plugins: Plugins,
): Chosen {
  const name = request.driver ?? device.driver ?? undefined;
  const driver = name === undefined ? undefined : plugins.get("driver", name);
  return {
    device: device.name,
    driver: name,
    fields: driver === undefined ? { host: device.host } : fieldsFor(driver, device, request.callerFields),
    members: request.renders ? membersOf(snapshot, device) : undefined,
  };
}

/** If the caller gives any of these, inventory logins are not mixed in. */
const ownLogin = ["username", "password", "credential"];

/** Inventory fields may serve several drivers: keeps those the driver knows. */
function fieldsFor(
  driver: DriverPlugin,
  device: EffectiveDevice,
  callerFields: ChoosingRequest["callerFields"],
): Record<string, unknown> {
  const driverFields = fieldsOf(driver.connection);
  const hasLogin = callerFields.some((fields) => ownLogin.some((name) => isGiven(fields[name])));
  const { host: _host, hostname: _hostname, credential: _credential, ...defaults } = device.connection;
  const fields: Record<string, unknown> = {
    ...defaults,
    ...(device.port === null ? {} : { port: device.port }),
    ...(device.platform === null ? {} : { [driver.platformField ?? "device_type"]: device.platform }),
  };
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => driverFields?.includes(name) !== false)),
    host: device.host,
    ...(device.credential === null || hasLogin ? {} : { credential: device.credential }),
  };
}

/** Refuses a device name with a different host: checks and push would hit different devices. */
export function hostIssues(
  callerFields: readonly Readonly<Record<string, unknown>>[],
  path: string,
): Issue[] {
  const named = ["host", "hostname"].filter((field) => callerFields.some((fields) => isGiven(fields[field])));
  return named.map((field) => ({
    path: `${path}.${field}`,
    message: "cannot be combined with an inventory device, which has its own host",
  }));
}

/** What bounds a selector that is not there. */
export function uselessBounds({
  select,
  limit,
  sample,
}: {
  readonly select?: unknown;
  readonly limit?: unknown;
  readonly sample?: unknown;
}): Issue[] {
  if (isGiven(select)) return [];
  const useless = Object.entries({ limit, sample }).filter(([, value]) => isGiven(value));
  return useless.map(([path]) => ({ path, message: "applies to `select`, which is missing" }));
}

/** Without an inventory device the request must have driver and connection. @throws ServiceError Validation */
export function requireOwn(request: {
  readonly device?: string | null;
  readonly driver?: string | null;
  readonly connection_args?: Readonly<Record<string, unknown>> | null;
}): void {
  if (isGiven(request.device)) return;
  const missing = (["driver", "connection_args"] as const).filter((field) => !isGiven(request[field]));
  refuseIfAny(missing.map((path) => ({ path, message: "is required" })));
}

export function refuseIfAny(issues: readonly Issue[]): void {
  if (issues.length > 0) refuse(issues);
}

/** Retries when the inventory changes between selection and write. */
const maxTries = 5;
export const stale = Symbol("the inventory has changed");

/** @param attempt selects, checks and writes. @throws ServiceError Unavailable */
export async function whileStale<T>(attempt: (first: boolean) => Promise<T | typeof stale>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries++) {
    const result = await attempt(tries === 0);
    if (result !== stale) return result;
  }
  throw new ServiceError(
    "Unavailable",
    "The inventory keeps changing while devices are selected: try again.",
    {
      retryAfter: 1,
    },
  );
}
