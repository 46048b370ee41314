/** `--select` of run and push: inventory devices instead of hosts. */
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import { readInteger } from "../../client/numbers.ts";
import { readPairs } from "../../client/pairs.ts";
import {
  type InventoryDevice,
  type SelectedBulk,
  saysLogin,
  selectedDevices,
} from "../../client/selected.ts";
import { type DeviceFlags, loginOf } from "../../client/submission.ts";
import type { Session } from "./action.ts";

export interface SelectFlags {
  readonly select?: string;
  readonly limit?: string;
  readonly sample?: string;
}

export function withSelect(command: Command): Command {
  return command
    .option("--select <selector>", "inventory devices instead of hosts, such as site:berlin")
    .option("--limit <number>", "with --select: maximum number")
    .option("--sample <number>", "with --select: so many by chance");
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
  { environment, terminal }: Session,
): Promise<SelectedBulk> {
  const login = saysLogin(flags) ? await loginOf([{ fields: {} }], flags, { environment, terminal }) : {};
  return {
    ...(flags.driver === undefined ? {} : { driver: flags.driver }),
    connection_args: {
      ...(flags.type === undefined ? {} : { device_type: flags.type }),
      ...(flags.port === undefined ? {} : { port: readInteger(flags.port, "--port", 1, 65_535) }),
      ...login,
      ...readPairs(flags.arg ?? [], "--arg"),
    },
  };
}

/** Resolves the selector as the service would, to show the devices before acting on them. */
export async function chosenDevices(
  { select, limit, sample }: SelectFlags,
  { api }: Session,
): Promise<InventoryDevice[]> {
  const maxDevices = limit === undefined ? undefined : readInteger(limit, "--limit", 1, 1_000_000);
  const count = sample === undefined ? undefined : readInteger(sample, "--sample", 1, 1_000_000);
  const devices = await selectedDevices(api, { select }, count === undefined ? maxDevices : undefined);
  if (devices.length === 0)
    throw new ServiceError("NotFound", "The selector matches no inventory device that your key may reach.");
  const sampled = count === undefined ? devices : byChance(devices, count);
  return maxDevices === undefined ? sampled : sampled.slice(0, maxDevices);
}

/** The selector fields of a request. */
export function selectionOf({ select, limit, sample }: SelectFlags): object {
  return {
    select,
    ...(limit === undefined ? {} : { limit: readInteger(limit, "--limit", 1, 1_000_000) }),
    ...(sample === undefined ? {} : { sample: readInteger(sample, "--sample", 1, 1_000_000) }),
  };
}

function byChance<T>(items: readonly T[], count: number): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ item }) => item);
}
