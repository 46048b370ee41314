/** `--select` of run and push: inventory devices instead of hosts. */
import type { Command } from "commander";
import { jobsRange } from "../../../api/jobs/bounds.ts";
import { ServiceError } from "../../../base/errors.ts";
import { readPairs } from "../../../client/input/pairs.ts";
import {
  devicesByName,
  type InventoryDevice,
  type SelectedBulk,
  saysLogin,
  selectedDevices,
} from "../../../client/input/selected.ts";
import { readInteger } from "../../../client/output/numbers.ts";
import type { Device } from "../../../client/rooms/inventory.ts";
import { type Bulk, type DeviceFlags, loginOf } from "../../../client/service/submission.ts";
import type { Session } from "./action.ts";

export interface SelectFlags {
  readonly select?: string;
  readonly limit?: string;
  readonly sample?: string;
}

/** An inventory device, and what the command line says about it. */
interface NamedDevice extends Pick<InventoryDevice, "name" | "driver"> {
  readonly fields?: Readonly<Record<string, unknown>>;
}

export function withSelect(command: Command): Command {
  return command
    .option("--select <selector>", "inventory devices instead of hosts, such as site:berlin")
    .option("--limit <number>", "with --select: maximum number")
    .option("--sample <number>", "with --select: a random sample of this size");
}

/** @throws ServiceError Validation: exactly one of hosts and selector is required */
export function requireOne(hosts: string | undefined, { select, limit, sample }: SelectFlags): void {
  if (hosts === undefined && select === undefined)
    throw new ServiceError("Validation", "No devices were given: name hosts, or use --select.");
  if (hosts !== undefined && select !== undefined)
    throw new ServiceError("Validation", "Hosts and --select cannot be combined.");
  if (select === undefined && (limit ?? sample) !== undefined)
    throw new ServiceError("Validation", "--limit and --sample need --select.");
}

/** Connection values come from the inventory unless a flag overrides them. @throws ServiceError Validation */
export async function selectedBulk(
  flags: DeviceFlags,
  { environment, terminal }: Pick<Session, "environment" | "terminal">,
  asksLogin = saysLogin(flags),
): Promise<SelectedBulk> {
  const login = asksLogin ? await loginOf([{ fields: {} }], flags, { environment, terminal }) : {};
  return {
    driver: flags.driver,
    connection_args: {
      device_type: flags.type,
      ...(flags.port === undefined ? {} : { port: readInteger(flags.port, "--port", 1, 65_535) }),
      ...login,
      ...readPairs(flags.arg ?? [], "--arg"),
    },
  };
}

/** One bulk for each driver of the devices, with their values from the inventory. */
export async function inventoryBulks(
  chosen: readonly NamedDevice[],
  flags: DeviceFlags,
  session: Session,
): Promise<Bulk[]> {
  const asked = chosen.some(({ fields }) => fields?.username !== undefined);
  const { connection_args, driver } = await selectedBulk(flags, session, asked || saysLogin(flags));
  const driverOf = (device: NamedDevice) => driver ?? device.driver ?? "";
  return [...new Set(chosen.map(driverOf))].map((name) => ({
    ...(name === "" ? {} : { driver: name }),
    connection_args,
    devices: chosen
      .filter((device) => driverOf(device) === name)
      .map((device) => ({ device: device.name, ...device.fields })),
  }));
}

/** Splits hosts that are names of inventory devices from the others. */
export async function splitNamed(
  devices: readonly Device[],
  { api }: Session,
): Promise<{ named: NamedDevice[]; others: Device[] }> {
  const nameOf = ({ fields }: Device) => String(fields.host ?? "").toLowerCase();
  const known = await devicesByName(api, [...new Set(devices.map(nameOf))]);
  const named: NamedDevice[] = [];
  const others: Device[] = [];
  for (const device of devices) {
    const found = known.get(nameOf(device));
    if (found === undefined) others.push(device);
    else {
      const { host: _host, ...fields } = device.fields;
      named.push({ name: found.name, driver: device.driver ?? found.driver ?? null, fields });
    }
  }
  return { named, others };
}

/** Resolves the selector as the service would, to show the devices before acting on them. */
export async function chosenDevices(
  { select, limit, sample }: SelectFlags,
  { api }: Session,
): Promise<InventoryDevice[]> {
  const maxDevices = countOf(limit, "--limit");
  const count = countOf(sample, "--sample");
  const devices = await selectedDevices(api, { select }, count === undefined ? maxDevices : undefined);
  if (devices.length === 0)
    throw new ServiceError("NotFound", "The selector matches no inventory device that your key may reach.");
  const sampled = count === undefined ? devices : byChance(devices, count);
  return maxDevices === undefined ? sampled : sampled.slice(0, maxDevices);
}

/** The selector fields of a request. */
export function selectionOf({ select, limit, sample }: SelectFlags): object {
  return { select, limit: countOf(limit, "--limit"), sample: countOf(sample, "--sample") };
}

const countOf = (text: string | undefined, flag: string) =>
  text === undefined ? undefined : readInteger(text, flag, jobsRange.min, jobsRange.max);

function byChance<T>(items: readonly T[], count: number): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ item }) => item);
}
