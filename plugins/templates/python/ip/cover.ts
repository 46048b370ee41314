/** The smallest set of networks for ranges of addresses: `summarize_address_range` and `collapse_addresses`. */
import { attributeError, typeError, valueError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { typeName, type Value } from "../values/values.ts";
import { first, last, type Network } from "./network.ts";
import { type Version, WIDTH } from "./numbers.ts";
import { IpAddress, IpNetwork } from "./objects.ts";

/** Covers exactly `from` to `to`. */
export function* covering(version: Version, from: bigint, to: bigint): Generator<Network> {
  for (let ip = from; ip <= to; ) {
    let bits = 0;
    const grows = () => (ip >> BigInt(bits)) % 2n === 0n && ip + (1n << BigInt(bits + 1)) - 1n <= to;
    while (bits < WIDTH[version] && grows()) bits++;
    yield { version, ip, prefix: WIDTH[version] - bits };
    ip += 1n << BigInt(bits);
  }
}

/** @throws TypeError, ValueError as Python */
export function summarized(from: Value, to: Value, meter: Meter): Generator<Network> {
  if (!(from instanceof IpAddress && to instanceof IpAddress))
    throw typeError("first and last must be IP addresses, not networks");
  if (from.version !== to.version)
    throw typeError(`${from.str(meter)} and ${to.str(meter)} are not of the same version`);
  if (from.ip > to.ip) throw valueError("last IP address must be greater than first");
  return covering(from.version, from.ip, to.ip);
}

/** @throws TypeError as Python */
export function* collapsed(items: readonly Value[], meter: Meter): Generator<Network> {
  const ranges = items.map((item) => {
    if (!(item instanceof IpAddress || item instanceof IpNetwork))
      throw attributeError(`'${typeName(item)}' object has no attribute '_prefixlen'`);
    meter.step();
    return item;
  });
  ranges.forEach((item, at) => {
    const before = ranges[at - 1];
    if (before !== undefined && before.version !== item.version)
      throw typeError(`${item.str(meter)} and ${before.str(meter)} are not of the same version`);
  });
  const sorted = ranges
    .map((item): [bigint, bigint] =>
      item instanceof IpAddress ? [item.ip, item.ip] : [first(item), last(item)],
    )
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  const { version } = ranges[0] ?? { version: 4 as const };
  let open: [bigint, bigint] | undefined;
  for (const [from, to] of sorted) {
    if (open !== undefined && from <= open[1] + 1n) {
      if (to > open[1]) open = [open[0], to];
      continue;
    }
    if (open !== undefined) yield* covering(version, ...open);
    open = [from, to];
  }
  if (open !== undefined) yield* covering(version, ...open);
}
