/** Values of SNMP as data, and data as values. */
import { PluginError } from "patchbay/plugin";
import type { Varbind } from "./agent.ts";
import type { MibObject } from "./mibs.ts";
import { macOf, oidOf } from "./names.ts";

/** ASN.1 types of SMIv2. */
export const types = {
  integer: 2,
  octets: 4,
  oid: 6,
  address: 64,
  counter: 65,
  gauge: 66,
  ticks: 67,
  opaque: 68,
  counter64: 70,
} as const;
const noSuchObject = 128;
const noSuchInstance = 129;
export const endOfView = 130;

/** Why there is no value. */
export function absence(type: number): string | undefined {
  if (type === noSuchObject) return "the agent has no such object";
  if (type === noSuchInstance) return "the agent has no such instance";
  return type === endOfView ? "there is nothing behind it" : undefined;
}

/** Numbers as numbers, unless they are too large for one; octets as text, an address, or hexadecimal digits. */
export function dataOf({ type, value }: Varbind, object?: MibObject): unknown {
  if (type === types.counter64 && value instanceof Uint8Array) return wideNumber(value);
  if (value instanceof Uint8Array) return octetsOf(value, object);
  if (typeof value === "number") return object?.words?.[value] ?? value;
  if (typeof value === "string" || typeof value === "boolean") return value;
  return value === undefined || value === null ? null : String(value);
}

function wideNumber(bytes: Uint8Array): number | string {
  let number = 0n;
  for (const byte of bytes) number = (number << 8n) | BigInt(byte);
  return number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : String(number);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function octetsOf(bytes: Uint8Array, object: MibObject | undefined): string {
  const syntax = object?.syntax;
  if (bytes.byteLength === 0) return "";
  if (syntax === "mac") return macOf(bytes);
  if (syntax === "hex") return hexOf(bytes);
  try {
    // C programs end texts with a NUL.
    const text = utf8.decode(bytes).replace(/\0+$/, "");
    if (!/[\x00-\x08\x0e-\x1f\x7f]/.test(text)) return text;
  } catch {
    // Not a text.
  }
  return syntax === "id" && bytes.byteLength === 6 ? macOf(bytes) : hexOf(bytes);
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** How callers name types. */
const typeNames: Readonly<Record<string, number>> = {
  integer: types.integer,
  string: types.octets,
  hex: types.octets,
  oid: types.oid,
  address: types.address,
  counter: types.counter,
  gauge: types.gauge,
  ticks: types.ticks,
};

/** @throws PluginError DriverError, before anything is sent */
export function varbindOf(name: string, given: unknown, object: MibObject | undefined): Varbind {
  const oid = oidOf(name);
  const wrong = (why: string) =>
    new PluginError("DriverError", `config: ${name.slice(0, 100)} ${why}.`, { outcome: "none" });
  if (oid === undefined) throw wrong("is not a known name or a number such as 1.3.6.1.2.1.1.5.0");
  const [typeName, plain] = typed(given);
  if (typeName !== undefined && typeNames[typeName] === undefined)
    throw wrong(`has an unknown type: one of ${Object.keys(typeNames).join(", ")}`);
  const text = String(plain);
  const word = Object.entries(object?.words ?? {}).find(([, word]) => word === text)?.[0];
  const isText = object?.syntax === "text";
  const type =
    (typeName === undefined ? undefined : typeNames[typeName]) ??
    (word !== undefined || (!isText && /^-?\d+$/.test(text)) ? types.integer : types.octets);
  const number = Number(word ?? text);
  if (type === types.octets) {
    if (typeName !== "hex") return { oid, type, value: text };
    if (!/^(?:[\da-f]{2})*$/i.test(text)) throw wrong("must have pairs of hexadecimal digits");
    return { oid, type, value: Buffer.from(text, "hex") };
  }
  if (type === types.oid) {
    const value = oidOf(text);
    if (value === undefined) throw wrong("must have an object identifier");
    return { oid, type, value };
  }
  if (type === types.address) {
    if (!/^(?:\d{1,3}\.){3}\d{1,3}$/.test(text)) throw wrong("must have an IPv4 address");
    return { oid, type, value: text };
  }
  const [least, most] = type === types.integer ? [-2_147_483_648, 2_147_483_647] : [0, 4_294_967_295];
  if (!Number.isInteger(number) || number < least || number > most)
    throw wrong(`must have a whole number from ${least} to ${most}`);
  return { oid, type, value: number };
}

/** `{"type": "integer", "value": 5}`, or the value alone. */
function typed(given: unknown): readonly [string | undefined, unknown] {
  if (typeof given !== "object" || given === null || !("value" in given)) return [undefined, given];
  const type = "type" in given ? given.type : undefined;
  return [typeof type === "string" ? type : undefined, given.value];
}
