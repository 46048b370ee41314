/** Hardware (MAC) addresses: hwaddr, macaddr, slaac. */
import { isInt, isText, textOf, textRepr, toInt, typeName, type Value } from "../../python/index.ts";
import { define, type FilterEntries, filterError } from "../filters/define.ts";
import { anyNetwork } from "./ipaddr.ts";

interface Hardware {
  readonly address: bigint;
  readonly bits: 48 | 64;
}

/** Accepted formats: address bits, digits per group, pattern. */
const SHAPES: readonly (readonly [48 | 64, number, RegExp])[] = [
  [48, 2, /^[0-9a-f]{1,2}(?::[0-9a-f]{1,2}){5}$|^[0-9a-f]{1,2}(?:-[0-9a-f]{1,2}){5}$/i],
  [48, 4, /^[0-9a-f]{1,4}(?:[.:-][0-9a-f]{1,4}){2}$/i],
  [48, 6, /^[0-9a-f]{5,6}[:-][0-9a-f]{5,6}$/i],
  [48, 12, /^[0-9a-f]{11,12}$/i],
  [64, 2, /^[0-9a-f]{1,2}(?::[0-9a-f]{1,2}){7}$|^[0-9a-f]{1,2}(?:-[0-9a-f]{1,2}){7}$/i],
  [64, 4, /^[0-9a-f]{1,4}(?:[.:-][0-9a-f]{1,4}){3}$/i],
  [64, 16, /^[0-9a-f]{16}$/i],
];

function hardwareOf(value: Value): Hardware | undefined {
  if (isInt(value)) return fromNumber(BigInt(value));
  if (!isText(value)) return undefined;
  const text = textOf(value);
  const shape = SHAPES.find(([, , pattern]) => pattern.test(text));
  if (shape === undefined) return /^\d{1,20}$/.test(text) ? fromNumber(BigInt(text)) : undefined;
  const groups = text.split(/[.:-]/).map((group) => group.padStart(shape[1], "0"));
  return { address: BigInt(`0x${groups.join("")}`), bits: shape[0] };
}

function fromNumber(address: bigint): Hardware | undefined {
  if (address < 0n || address >> 64n > 0n) return undefined;
  return { address, bits: address >> 48n > 0n ? 64 : 48 };
}

function grouped(hex: string, length: number, separator: string): string {
  return hex.match(new RegExp(`.{${length}}`, "g"))?.join(separator) ?? hex;
}

type Write = (hex: string) => string;
const WRITTEN: ReadonlyMap<string, Write> = new Map(
  Object.entries<Write>({
    bare: (hex) => hex.toUpperCase(),
    cisco: (hex) => grouped(hex, 4, "."),
    "eui48 win": (hex) => grouped(hex.toUpperCase(), 2, "-"),
    linux: (hex) => grouped(hex, 2, ":"),
    "pgsql postgresql psql": (hex) => grouped(hex, 6, ":"),
    unix: (hex) => grouped(hex, 2, ":").replace(/(^|:)0/g, "$1"),
  }).flatMap(([names, write]) => names.split(" ").map((name) => [name, write] as const)),
);

function hwaddr(value: Value, query: Value): Value {
  const queryName = isText(query) ? textOf(query) : typeName(query);
  const write = WRITTEN.get(queryName);
  if (write === undefined && !["", "bool", "int"].includes(queryName))
    throw filterError(`unknown query '${queryName}'`);
  const hardware = hardwareOf(value);
  if (queryName === "bool") return hardware === undefined ? null : true;
  if (queryName === "") return hardware === undefined ? null : isInt(value) ? String(value) : value;
  if (hardware === undefined)
    throw filterError(
      `${isText(value) ? textRepr(textOf(value)) : typeName(value)} is not a hardware address`,
    );
  if (write === undefined) return toInt(hardware.address);
  if (hardware.bits === 64) throw filterError(`an address of 64 bits has no form '${queryName}'`);
  return write(hardware.address.toString(16).padStart(12, "0"));
}

/** The modified EUI-64 interface identifier of a hardware address. */
function interfaceId({ address, bits }: Hardware): bigint {
  const long = bits === 64 ? address : ((address >> 24n) << 40n) | (0xfffen << 24n) | (address & 0xffffffn);
  return long ^ (1n << 57n);
}

function slaac(value: Value, query: Value): Value {
  const network = anyNetwork(value);
  const hardware = hardwareOf(query);
  if (network?.version !== 6 || hardware === undefined) return false;
  const ip = network.first + interfaceId(hardware);
  return ip >> 128n > 0n ? false : network.text(ip);
}

export const hardwareFilters: FilterEntries = [
  define("hwaddr macaddr", "defined", "query = '', alias = none", hwaddr),
  define("slaac", "any", "query = ''", slaac),
].flat();
