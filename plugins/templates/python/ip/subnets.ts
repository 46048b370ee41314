/** `subnets()` and `supernet()` of a network. */
import { valueError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import type { Kwargs, Value } from "../values/values.ts";
import { around, first, last, type Network } from "./network.ts";
import { WIDTH } from "./numbers.ts";

export function* subnets(
  network: Network,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  meter: Meter,
): Generator<Network> {
  const { version } = network;
  // A single address is its only subnet, whatever was asked for.
  if (network.prefix === WIDTH[version]) {
    yield network;
    return;
  }
  const prefix = newPrefix(network, args, kwargs, 1);
  if (prefix < network.prefix || prefix > WIDTH[version]) throw misfit(network, prefix);
  const step = 1n << BigInt(WIDTH[version] - prefix);
  for (let ip = first(network); ip <= last(network); ip += step) {
    meter.step();
    yield { version, ip, prefix };
  }
}

export function supernet(network: Network, args: readonly Value[], kwargs: Kwargs | undefined): Network {
  if (network.prefix === 0) return network;
  const prefix = newPrefix(network, args, kwargs, -1);
  if (prefix > network.prefix || prefix < 0) throw misfit(network, prefix);
  return around(network.version, network.ip, prefix);
}

function newPrefix(
  { prefix }: Network,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  sign: 1 | -1,
): number {
  const newPrefix = kwargs?.get("new_prefix") ?? args[1] ?? null;
  const difference = kwargs?.get("prefixlen_diff") ?? args[0] ?? 1;
  return typeof newPrefix === "number" ? newPrefix : prefix + sign * Number(difference);
}

const misfit = (network: Network, prefix: number): Error =>
  valueError(`new prefix ${prefix} does not fit /${network.prefix}`);
