/** Address tests, as strict as Python's ipaddress: `is ip`, `is in_network(...)`, `is private`. */
import {
  attempt,
  first,
  includes,
  ipaddressRanges,
  isPrivate,
  isText,
  itemsOf,
  type Network,
  parsePrefix,
  parseV4,
  parseV6,
  textOf,
  Undefined,
  type Value,
  type Version,
  WIDTH,
  within,
} from "../../python/index.ts";
import { define, onlyText, type TestEntries } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";

interface Block extends Network {
  /** Given without a prefix length. */
  readonly single: boolean;
}

/** Also `undefined` if host bits are set. */
function blockOf(value: Value): Block | undefined {
  if (value instanceof Undefined) return value.fail();
  if (!isText(value)) return undefined;
  const [address = "", mask, ...more] = textOf(value).split("/");
  if (more.length > 0) return undefined;
  const read = (): Block | undefined => {
    const version: Version = address.includes(":") ? 6 : 4;
    const ip = version === 6 ? parseV6(address).ip : parseV4(address);
    const prefix = mask === undefined ? WIDTH[version] : parsePrefix(version, mask);
    const block = { version, ip, prefix, single: mask === undefined };
    return first(block) === ip ? block : undefined;
  };
  return attempt(read, () => undefined);
}

type BlockTest = (block: Block) => boolean;

const about = (names: string, holds: BlockTest) =>
  define(names, blockOf, "", (block) => block !== undefined && holds(block));
const address = (name: string, holds: BlockTest) => about(name, (block) => block.single && holds(block));

const isKind =
  (kind: keyof typeof ipaddressRanges): BlockTest =>
  (block) =>
    within(block, ipaddressRanges[kind]);
/** The IPv4 address of an IPv4-mapped one, which is private or public as that is. */
const embedded = (block: Block): Block =>
  block.version === 6 && block.ip >> 32n === 0xffffn
    ? { ...block, version: 4, ip: block.ip & 0xffffffffn, prefix: 32 }
    : block;
const isSixToFour: BlockTest = ({ version, ip }) => version === 6 && ip >> 112n === 0x2002n;
const isShared = isKind("shared");
const isV4: BlockTest = ({ version }) => version === 4;
const isV6: BlockTest = ({ version }) => version === 6;

const isInside = (inner: Block | undefined, outer: Block | undefined): boolean =>
  inner !== undefined && outer !== undefined && includes(outer, inner);

function countAround(inner: Block | undefined, networks: Value, { meter }: FilterContext): number {
  if (isText(networks)) return 0;
  return itemsOf(networks, meter).filter((network) => isInside(inner, blockOf(network))).length;
}

const bits = ({ ip }: Block): string => ip.toString(2).padStart(32, "0");

const HARDWARE =
  /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}|[0-9a-f]{12})$/i;

export const addressTests: TestEntries = [
  about("ip", () => true),
  address("ip_address", () => true),
  about("ipv4", isV4),
  address("ipv4_address", isV4),
  address("ipv4_hostmask", (block) => isV4(block) && /^0+1+$/.test(bits(block))),
  address("ipv4_netmask", (block) => isV4(block) && /^1+0*$/.test(bits(block))),
  about("ipv6", isV6),
  address("ipv6_address", isV6),
  address("ipv6_ipv4_mapped", (block) => isV6(block) && block.ip >> 32n === 0xffffn),
  address("ipv6_sixtofour", isSixToFour),
  address("ipv6_teredo", (block) => isV6(block) && block.ip >> 96n === 0x2001_0000n),
  address("loopback", isKind("loopback")),
  address("multicast", isKind("multicast")),
  address("private", (block) => isPrivate(embedded(block))),
  address("public", (block) => !isPrivate(embedded(block)) && !isShared(embedded(block))),
  address("reserved", isKind("reserved")),
  address("unspecified", ({ ip }) => ip === 0n),
  define("mac", onlyText("a hardware address is text"), "", (text) => HARDWARE.test(text)),
  define("in_network subnet_of", blockOf, "network", (inner, outer) => isInside(inner, blockOf(outer))),
  define("supernet_of", blockOf, "network", (outer, inner) => isInside(blockOf(inner), outer)),
  define(
    "in_any_network",
    blockOf,
    "networks",
    (inner, list, context) => countAround(inner, list, context) > 0,
  ),
  define(
    "in_one_network",
    blockOf,
    "networks",
    (inner, list, context) => countAround(inner, list, context) === 1,
  ),
].flat();
