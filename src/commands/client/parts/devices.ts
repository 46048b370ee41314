/** Flags for devices, their login, and the purpose of the jobs. */
import type { Command } from "commander";
import { jobsRange, retriesRange, ttlRange } from "../../../api/jobs/bounds.ts";
import { readInput } from "../../../client/input/input.ts";
import { readPairs } from "../../../client/input/pairs.ts";
import { readInteger } from "../../../client/output/numbers.ts";
import { overwriteHint } from "../../../client/output/output-files.ts";
import { type Device, readDevices } from "../../../client/rooms/inventory.ts";
import { type Bulk, type DeviceFlags, prepareBulks } from "../../../client/service/submission.ts";
import type { Session } from "./action.ts";
import { inventoryBulks, splitNamed } from "./selected.ts";

export interface PurposeFlags {
  readonly label?: string;
  readonly ticket?: string;
  readonly note?: string;
  readonly tag?: readonly string[];
  readonly priority?: string;
  readonly ttl?: string;
  readonly retries?: string;
  readonly notBefore?: string;
  readonly concurrency?: string;
  readonly maxFailures?: string;
  readonly order?: string;
}

/** Fields shared by all submissions, besides devices and work. */
export interface Shared {
  readonly driver_args?: Readonly<Record<string, unknown>>;
  readonly options?: object;
  readonly concurrency?: number;
  readonly max_failures?: number;
  readonly order?: string;
}

export const hostsArgument =
  "comma-separated names, addresses, ranges (sw[01-48], 10.0.0.1-20, 10.0.0.0/28); @file (CSV, YAML, lines); - for the standard input";

export function withDevices(command: Command): Command {
  return withLogin(command)
    .option("--driver <name>", "default driver of the devices (otherwise netmiko)")
    .option(
      "--type <device_type>",
      "default device_type of the devices, such as cisco_ios (otherwise autodetected)",
    )
    .option("--user <name>", "default login of the devices")
    .option("--port <port>", "default port of the devices")
    .option("--arg <name=value...>", "further fields of connection_args; secrets are refused here")
    .option("--driver-arg <name=value...>", "fields of driver_args");
}

export function withLogin(command: Command): Command {
  return command
    .option(
      "--credential <name:reference>",
      "a credential of the service instead of a password, such as env:core",
    )
    .option("--no-password", "do not ask for one: use keys")
    .option("--ask-secret", "also ask for the enable password");
}

export function withPurpose(command: Command): Command {
  return command
    .option("--label <text>", "a short text for lists and filters")
    .option("--ticket <text>", "ticket number of the change, such as CHG-7")
    .option("--note <text>", "a longer text, kept with the job")
    .option("--tag <text...>", "tags to filter by")
    .option("--priority <priority>", "high, normal or low, among the jobs of this key")
    .option("--ttl <seconds>", "time limit in seconds: for the wait in the queue, and again for the run")
    .option("--not-before <time>", "not started before this time, ISO 8601 with offset")
    .option("--concurrency <number>", "maximum number of devices at once")
    .option("--max-failures <number>", "cancel the waiting jobs once this many have failed")
    .option("--order <order>", "order in which devices start: given, random or host");
}

export function withResults(command: Command): Command {
  return command
    .option("--json", "one JSON object a line for each device, as it ends")
    .option("--csv", "comma-separated values: a row for each command of a device")
    .option("--output-dir <folder>", "a file for each device, named by the device")
    .option("--overwrite", overwriteHint);
}

/** Checked before any prompt or request. @throws ServiceError Validation */
export function devicesOf(hosts: string): Device[] {
  return readDevices(hosts, () => readInput("-"));
}

/** Hosts that are names of inventory devices get their values from there; the others from the flags. */
export async function bulksOf(
  devices: readonly Device[],
  flags: DeviceFlags,
  session: Session,
): Promise<Bulk[]> {
  const { environment, server, terminal } = session;
  const { named, others } = await splitNamed(devices, session);
  const circumstances = { environment, context: server.context, terminal };
  return [
    ...(named.length === 0 ? [] : await inventoryBulks(named, flags, session)),
    ...(others.length === 0 ? [] : await prepareBulks(others, flags, circumstances)),
  ];
}

/** @throws ServiceError Validation that names the flag */
export function sharedOf(flags: PurposeFlags & DeviceFlags): Shared {
  const { label, ticket, note, tag, priority, ttl, retries, notBefore, concurrency, maxFailures, order } =
    flags;
  const options = {
    label,
    ticket,
    note,
    tags: tag,
    priority,
    ...(ttl === undefined ? {} : { ttl: readInteger(ttl, "--ttl", ttlRange.min, ttlRange.max) }),
    ...(retries === undefined
      ? {}
      : { retries: readInteger(retries, "--retries", retriesRange.min, retriesRange.max) }),
    not_before: notBefore,
  };
  const driverArgs = readPairs(flags.driverArg ?? [], "--driver-arg");
  return {
    ...(Object.keys(driverArgs).length === 0 ? {} : { driver_args: driverArgs }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(concurrency === undefined
      ? {}
      : { concurrency: readInteger(concurrency, "--concurrency", jobsRange.min, jobsRange.max) }),
    ...(maxFailures === undefined
      ? {}
      : { max_failures: readInteger(maxFailures, "--max-failures", jobsRange.min, jobsRange.max) }),
    order,
  };
}
