/** Reads the configurations of inventory devices into the history: a bulk in which each device is asked in its own way. */

import { configurationParts, type TakeRequest, takeRequest } from "../../api/history/history.ts";
import { submitterOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { refuse } from "../../base/issues.ts";
import { isGiven } from "../../base/json/members.ts";
import { neverAborted } from "../../base/time/deadline.ts";
import { createTimeBudget } from "../../base/time/time-budget.ts";
import type { EffectiveDevice, Snapshot } from "../../inventory/port.ts";
import type { ConfigurationQuery, DriverPlugin } from "../../plugin/index.ts";
import type { Jobs, TakeReason } from "../port.ts";
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

/** Reading a configuration twice does no harm. */
const retries = 1;

export function createTake(tools: BulkTools, submit: SubmitChosen): Jobs["take"] {
  return async (body, caller, key, signal = neverAborted, budget = createTimeBudget(), why) => {
    const submission = { endpoint: "take", body, caller, key, budget } as const;
    return submit(submission, signal, () => {
      const request = readTake(body.value);
      const reason = why ?? (() => askedBy(caller, request));
      return () => chooseDevices(tools, request, caller, signal, reason);
    });
  };
}

function askedBy(caller: Caller, { note }: TakeRequest): TakeReason {
  const { kind, name } = submitterOf(caller);
  return { source: kind === "schedule" ? "schedule" : "manual", who: name, note: note ?? undefined };
}

/** @throws ServiceError Validation */
export function readTake(value: unknown): TakeRequest {
  const request = checkShape(takeRequest, value);
  refuseIfAny(shapeIssues(request));
  return request;
}

function shapeIssues({ device, devices, select, limit, sample, connection_args }: TakeRequest): Issue[] {
  const issues = hostIssues([connection_args ?? {}], "connection_args");
  const given = [device, devices, select].filter(isGiven).length;
  if (given === 0) issues.push({ path: "select", message: "is required, or `device`, or `devices`" });
  if (given > 1)
    issues.push({ path: "select", message: "excludes `device` and `devices`, which exclude each other" });
  return [...issues, ...uselessBounds({ select, limit, sample })];
}

export async function chooseDevices(
  tools: BulkTools,
  request: TakeRequest,
  caller: Caller,
  signal: AbortSignal,
  why: (device: string) => TakeReason,
): Promise<SelectedBulk> {
  const {
    device: _device,
    devices: _devices,
    parts: _parts,
    limit: _limit,
    sample: _sample,
    note: _note,
    accept_less: _less,
    ...shared
  } = request;
  const snapshot = await tools.inventory.snapshot();
  const selected = await devicesOf(snapshot, request, caller, signal);
  requireCount(selected.length, tools);
  const room = createInventoryRoom(tools);
  const entries: Record<string, unknown>[] = [];
  const chosen: ChosenEntry[] = [];
  for (const device of selected) {
    const { entry, choice } = askedOf(snapshot, device, request, tools.plugins, why);
    room.take(JSON.stringify(entry).length);
    entries.push(entry);
    chosen.push({ ...choice, device: device.name });
  }
  const options = { retries, ...shared.options };
  return { request: { ...shared, options, devices: entries }, chosen, revision: snapshot.revision };
}

export async function devicesOf(
  snapshot: Snapshot,
  { device, devices, select, limit, sample }: TakeRequest,
  caller: Caller,
  signal: AbortSignal,
): Promise<readonly EffectiveDevice[]> {
  if (isGiven(select)) {
    const selected = await selectDevices(snapshot, { select: select ?? "", limit, sample }, caller, signal);
    return selected.length === 0 ? refuse([nothingSelected]) : selected;
  }
  const names = devices ?? [device ?? ""];
  const found = new Map<string, EffectiveDevice>();
  const missing: Issue[] = [];
  for (const [at, name] of names.entries()) {
    const one = deviceNamed(snapshot, name, caller);
    if (one) found.set(one.name, one);
    else missing.push(noDevice(name, devices ? `devices.${at}` : "device"));
  }
  refuseIfAny(missing);
  return [...found.values()];
}

function askedOf(
  snapshot: Snapshot,
  device: EffectiveDevice,
  { connection_args, parts, accept_less: less }: TakeRequest,
  plugins: Plugins,
  why: (device: string) => TakeReason,
): { readonly entry: Record<string, unknown>; readonly choice: ChosenEntry } {
  const wrong = faultOfFiles(device);
  if (wrong !== undefined) return { entry: { host: device.host }, choice: { issues: [wrong] } };
  const way = wayOf(device, parts ?? configurationParts, plugins);
  if (way === undefined) {
    const message =
      device.driver === null
        ? "is required: set `driver` and `platform` of the device in the inventory"
        : `the driver ${device.driver} knows no way to show the configuration of this device`;
    return { entry: { host: device.host }, choice: { issues: [{ path: "driver", message }] } };
  }
  const { driver, query, files } = way;
  const shared = connection_args ?? {};
  const { fields } = chosenOf(
    snapshot,
    device,
    { driver: driver.name, callerFields: [shared], renders: false },
    plugins,
  );
  const entry = laidBelow(fields, shared, { command: [...query.commands] });
  const { name, host, group, platform } = device;
  const take = {
    device: { name, host, group, platform },
    parts: [...query.parts],
    files,
    less,
    ...why(name),
  };
  return { entry, choice: { driver: driver.name, driverArgs: query.args, take } };
}

interface Way {
  readonly driver: DriverPlugin;
  readonly query: ConfigurationQuery;
  readonly files: string[] | undefined;
}

/** By the device's own driver, or the first one that can. */
function wayOf(
  device: EffectiveDevice,
  parts: readonly (typeof configurationParts)[number][],
  plugins: Plugins,
): Way | undefined {
  const own = device.driver === null ? undefined : plugins.get("driver", device.driver);
  const drivers = device.driver === null ? plugins.list("driver") : own === undefined ? [] : [own];
  const files = filesOf(device);
  const find = (name: string) => plugins.get("platform", name);
  for (const driver of drivers) {
    const query = driver.shows?.({ platform: device.platform, parts, files, find });
    if (query !== undefined) return { driver, query, files };
  }
  return undefined;
}

/** `config_files` among the variables of the device: paths on a server, one or a list. */
function filesOf({ vars }: EffectiveDevice): string[] | undefined {
  const { config_files: files } = vars;
  if (!isGiven(files)) return undefined;
  const list: unknown[] = Array.isArray(files) ? files : [files];
  const paths = list
    .filter((file) => typeof file === "string" && /^\/[^\0\r\n]{1,1023}$/.test(file))
    .map(String);
  return paths.length === list.length && paths.length > 0 ? paths : [];
}

function faultOfFiles(device: EffectiveDevice): Issue | undefined {
  return filesOf(device)?.length === 0
    ? { path: "vars.config_files", message: "must be an absolute path on the server, or a list of them" }
    : undefined;
}
