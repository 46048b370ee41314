/** Tests for addresses, as strict as Python's ipaddress: `is ip`, `is in_network(...)`, `is private`. */
import { signature } from "../../python/args.ts";
import { PyError, typeError } from "../../python/errors.ts";
import { first, includes, type Network } from "../../python/ip/network.ts";
import { parsePrefix, parseV4, parseV6, type Version, WIDTH } from "../../python/ip/numbers.ts";
import { ipaddressRanges, within } from "../../python/ip/ranges.ts";
import { itemsOf } from "../../python/iterate.ts";
import { isText, textOf, typeName, Undefined, type Value } from "../../python/values.ts";
import type { FilterContext, Test } from "../filter.ts";

interface Block extends Network {
  /** No prefix was written. */
  readonly single: boolean;
}

/** `undefined` also where bits of the host are set. */
function blockOf(value: Value): Block | undefined {
  if (value instanceof Undefined) return value.fail();
  if (!isText(value)) return undefined;
  const [address = "", mask, ...more] = textOf(value).split("/");
  if (more.length > 0) return undefined;
  try {
    const version: Version = address.includes(":") ? 6 : 4;
    const ip = version === 6 ? parseV6(address).ip : parseV4(address);
    const prefix = mask === undefined ? WIDTH[version] : parsePrefix(version, mask);
    const block = { version, ip, prefix, single: mask === undefined };
    return first(block) === ip ? block : undefined;
  } catch (error) {
    if (error instanceof PyError) return undefined;
    throw error;
  }
}

type Asked = (block: Block) => boolean;

const noArguments = signature("test", []);

function about(holds: Asked): Test {
  return (value, args, kwargs) => {
    noArguments(args, kwargs);
    const block = blockOf(value);
    return block !== undefined && holds(block);
  };
}

const address = (holds: Asked): Test => about((block) => block.single && holds(block));
const isKind =
  (kind: keyof typeof ipaddressRanges): Asked =>
  (block) =>
    within(block, ipaddressRanges[kind]);
/** An address made by 6to4 is as private as the IPv4 address in it. */
const isPrivate: Asked = (block) =>
  within(block, ipaddressRanges.private) ||
  (isSixToFour(block) &&
    within({ version: 4, ip: (block.ip >> 80n) & 0xffffffffn, prefix: 32 }, ipaddressRanges.private));
const isSixToFour: Asked = ({ version, ip }) => version === 6 && ip >> 112n === 0x2002n;
const isShared = isKind("shared");

const isInside = (inner: Block | undefined, outer: Block | undefined): boolean =>
  inner !== undefined && outer !== undefined && includes(outer, inner);

function between(
  parameter: string,
  holds: (value: Value, other: Value, context: FilterContext) => boolean,
): Test {
  const bind = signature("test", [parameter]);
  return (value, args, kwargs, context) => holds(value, bind(args, kwargs)[0] ?? null, context);
}

const inNetwork = between("network", (value, other) => isInside(blockOf(value), blockOf(other)));

function countAround(value: Value, networks: Value, { meter }: FilterContext): number {
  const inner = blockOf(value);
  if (isText(networks)) return 0;
  return itemsOf(networks, meter).filter((one) => isInside(inner, blockOf(one))).length;
}

const MASK = /^1+0*$/;
const HOST_MASK = /^0+1+$/;
const bits = ({ ip }: Block): string => ip.toString(2).padStart(32, "0");

const HARDWARE =
  /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}|[0-9a-f]{12})$/i;

const isMac: Test = (value, args, kwargs) => {
  noArguments(args, kwargs);
  if (value instanceof Undefined) return value.fail();
  if (!isText(value)) throw typeError(`a hardware address is text, not ${typeName(value)}`);
  return HARDWARE.test(textOf(value));
};

export const addressTests: readonly (readonly [string, Test])[] = [
  ["ip", about(() => true)],
  ["ip_address", address(() => true)],
  ["ipv4", about(({ version }) => version === 4)],
  ["ipv4_address", address(({ version }) => version === 4)],
  ["ipv4_hostmask", address((block) => block.version === 4 && HOST_MASK.test(bits(block)))],
  ["ipv4_netmask", address((block) => block.version === 4 && MASK.test(bits(block)))],
  ["ipv6", about(({ version }) => version === 6)],
  ["ipv6_address", address(({ version }) => version === 6)],
  ["ipv6_ipv4_mapped", address(({ version, ip }) => version === 6 && ip >> 32n === 0xffffn)],
  ["ipv6_sixtofour", address(isSixToFour)],
  ["ipv6_teredo", address(({ version, ip }) => version === 6 && ip >> 96n === 0x2001_0000n)],
  ["loopback", address(isKind("loopback"))],
  ["mac", isMac],
  ["multicast", address(isKind("multicast"))],
  ["private", address(isPrivate)],
  ["public", address((block) => !isPrivate(block) && !isShared(block))],
  ["reserved", address(isKind("reserved"))],
  ["unspecified", address(({ ip }) => ip === 0n)],
  ["in_network", inNetwork],
  ["subnet_of", inNetwork],
  ["supernet_of", between("network", (value, other) => isInside(blockOf(other), blockOf(value)))],
  ["in_any_network", between("networks", (value, list, context) => countAround(value, list, context) > 0)],
  ["in_one_network", between("networks", (value, list, context) => countAround(value, list, context) === 1)],
];
