/** Hardware (MAC) addresses: hwaddr, macaddr, and the IPv6 address that comes of one. */

import { first } from "../../python/ip/network.ts";
import { textRepr } from "../../python/repr.ts";
import { isInt, isText, textOf, toInt, typeName, Undefined, type Value } from "../../python/values.ts";
import { type Entry, filter } from "../filters/define.ts";
import { addressError, show } from "./address.ts";
import { networkOf } from "./ipaddr.ts";

interface Hardware {
  readonly address: bigint;
  readonly bits: 48 | 64;
}

/** Groups of at most so many digits, with their separators. */
const SHAPES: readonly (readonly [RegExp, number])[] = [
  [/^[0-9a-f]{1,2}(?::[0-9a-f]{1,2}){5}$|^[0-9a-f]{1,2}(?:-[0-9a-f]{1,2}){5}$/i, 2],
  [/^[0-9a-f]{1,4}(?:[.:-][0-9a-f]{1,4}){2}$/i, 4],
  [/^[0-9a-f]{5,6}[:-][0-9a-f]{5,6}$/i, 6],
  [/^[0-9a-f]{11,12}$/i, 12],
];
const SHAPES_64: readonly (readonly [RegExp, number])[] = [
  [/^[0-9a-f]{1,2}(?::[0-9a-f]{1,2}){7}$|^[0-9a-f]{1,2}(?:-[0-9a-f]{1,2}){7}$/i, 2],
  [/^[0-9a-f]{1,4}(?:[.:-][0-9a-f]{1,4}){3}$/i, 4],
  [/^[0-9a-f]{16}$/i, 16],
];

function parse(text: string, shapes: readonly (readonly [RegExp, number])[]): bigint | undefined {
  const shape = shapes.find(([pattern]) => pattern.test(text));
  if (shape === undefined) return undefined;
  const groups = text.split(/[.:-]/).map((group) => group.padStart(shape[1], "0"));
  return BigInt(`0x${groups.join("")}`);
}

function hardwareOf(value: Value): Hardware | undefined {
  if (isInt(value)) return fromNumber(BigInt(value));
  if (!isText(value)) return undefined;
  const text = textOf(value);
  const short = parse(text, SHAPES);
  if (short !== undefined) return { address: short, bits: 48 };
  const long = parse(text, SHAPES_64);
  if (long !== undefined) return { address: long, bits: 64 };
  return /^\d{1,20}$/.test(text) ? fromNumber(BigInt(text)) : undefined;
}

function fromNumber(address: bigint): Hardware | undefined {
  if (address < 0n || address >> 64n > 0n) return undefined;
  return { address, bits: address >> 48n > 0n ? 64 : 48 };
}

function grouped(hex: string, length: number, separator: string): string {
  return hex.match(new RegExp(`.{${length}}`, "g"))?.join(separator) ?? hex;
}

type Write = (hex: string) => string;
const eui48: Write = (hex) => grouped(hex.toUpperCase(), 2, "-");
const pgsql: Write = (hex) => grouped(hex, 6, ":");

const WRITTEN: ReadonlyMap<string, Write> = new Map<string, Write>([
  ["bare", (hex) => hex.toUpperCase()],
  ["cisco", (hex) => grouped(hex, 4, ".")],
  ["eui48", eui48],
  ["win", eui48],
  ["linux", (hex) => grouped(hex, 2, ":")],
  ["pgsql", pgsql],
  ["postgresql", pgsql],
  ["psql", pgsql],
  ["unix", (hex) => grouped(hex, 2, ":").replace(/(^|:)0/g, "$1")],
]);

function hwaddr(value: Value, query: Value): Value {
  if (value instanceof Undefined) return value.fail();
  const asked = isText(query) ? textOf(query) : typeName(query);
  const write = WRITTEN.get(asked);
  if (write === undefined && !["", "bool", "int"].includes(asked))
    throw addressError(`unknown query '${asked}'`);
  const hardware = hardwareOf(value);
  if (asked === "bool") return hardware === undefined ? null : true;
  if (asked === "") return hardware === undefined ? null : isInt(value) ? String(value) : value;
  if (hardware === undefined) {
    const shown = isText(value) ? textRepr(textOf(value)) : typeName(value);
    throw addressError(`${shown} is not a hardware address`);
  }
  if (write === undefined) return toInt(hardware.address);
  if (hardware.bits === 64) throw addressError(`an address of 64 bits has no form '${asked}'`);
  return write(hardware.address.toString(16).padStart(12, "0"));
}

/** The 64 bits of an interface that come of its hardware address. */
function interfaceId({ address, bits }: Hardware): bigint {
  const long = bits === 64 ? address : ((address >> 24n) << 40n) | (0xfffen << 24n) | (address & 0xffffffn);
  return long ^ (1n << 57n);
}

export const hardwareFilters: readonly Entry[] = [
  filter("hwaddr", ["query?", "alias?"], (value, [query = ""]) => hwaddr(value, query)),
  filter("macaddr", ["query?", "alias?"], (value, [query = ""]) => hwaddr(value, query)),
  filter("slaac", ["query?"], (value, [query = ""]) => {
    if (value instanceof Undefined) return value.fail();
    const network = networkOf(value);
    const hardware = hardwareOf(query);
    if (network?.version !== 6 || hardware === undefined) return false;
    const ip = first(network) + interfaceId(hardware);
    return ip >> 128n > 0n ? false : show(network, ip);
  }),
];
