/** Parses and formats IP addresses and masks, as strictly as Python's ipaddress. */
import { attempt, PyError } from "../errors.ts";

export type Version = 4 | 6;

export const WIDTH: Readonly<Record<Version, number>> = { 4: 32, 6: 128 };

export const allOnes = (version: Version): bigint => (1n << BigInt(WIDTH[version])) - 1n;

const refuse = (message: string): PyError => new PyError("AddressValueError", message);

export function parseV4(text: string): bigint {
  const octets = text.split(".");
  if (text === "") throw refuse("Address cannot be empty");
  if (octets.length !== 4) throw refuse(`Expected 4 octets in '${text}'`);
  let value = 0n;
  for (const octet of octets) {
    if (octet === "") throw refuse(`Empty octet not permitted in '${text}'`);
    if (!/^[0-9]+$/.test(octet)) throw refuse(`Only decimal digits permitted in '${octet}' in '${text}'`);
    if (octet.length > 3) throw refuse(`At most 3 characters permitted in '${octet}' in '${text}'`);
    if (octet.length > 1 && octet.startsWith("0"))
      throw refuse(`Leading zeros are not permitted in '${octet}' in '${text}'`);
    if (Number(octet) > 255) throw refuse(`Octet ${octet} (> 255) not permitted in '${text}'`);
    value = value * 256n + BigInt(octet);
  }
  return value;
}

export function parseV6(text: string): { readonly ip: bigint; readonly scope: string } {
  const [address = "", scope, ...more] = text.split("%");
  if (scope === "" || more.length > 0) throw refuse(`Invalid IPv6 address: '${text}'`);
  return { ip: parseV6Groups(address, text), scope: scope ?? "" };
}

/** The longest address: IPv6 with a dotted IPv4 suffix. */
const MAX_LENGTH = 45;

/** Parses either version; `undefined` if it is not an address or has a scope id. */
export function readAddress(text: string): { version: Version; ip: bigint } | undefined {
  if (text.length > MAX_LENGTH || text.includes("%")) return undefined;
  return attempt<ReturnType<typeof readAddress>>(
    () => (text.includes(":") ? { version: 6, ip: parseV6(text).ip } : { version: 4, ip: parseV4(text) }),
    () => undefined,
  );
}

function parseV6Groups(address: string, text: string): bigint {
  if (address === "") throw refuse("Address cannot be empty");
  const parts = address.split(":");
  if (parts.length < 3) throw refuse(`At least 3 parts expected in '${text}'`);
  const last = parts.at(-1) ?? "";
  if (last.includes(".")) {
    const v4 = parseV4(last);
    parts.splice(-1, 1, (v4 >> 16n).toString(16), (v4 & 0xffffn).toString(16));
  }
  if (parts.length > 9) throw refuse(`At most 8 colons permitted in '${text}'`);
  const gaps = parts.flatMap((part, i) => (part === "" && i > 0 && i < parts.length - 1 ? [i] : []));
  if (gaps.length > 1) throw refuse(`At most one '::' permitted in '${text}'`);
  const [gap] = gaps;
  let high = parts.length;
  let low = 0;
  if (gap !== undefined) {
    high = gap;
    low = parts.length - gap - 1;
    if (parts[0] === "" && --high > 0)
      throw refuse(`Leading ':' only permitted as part of '::' in '${text}'`);
    if (last === "" && --low > 0) throw refuse(`Trailing ':' only permitted as part of '::' in '${text}'`);
    if (high + low > 7) throw refuse(`Expected at most 7 other parts with '::' in '${text}'`);
  } else if (parts.length !== 8 || parts[0] === "" || last === "")
    throw refuse(`Exactly 8 parts expected without '::' in '${text}'`);
  let value = 0n;
  for (let i = 0; i < high; i++) value = (value << 16n) | hextet(parts[i] ?? "", text);
  if (gap !== undefined) value <<= BigInt(16 * (8 - high - low));
  for (let i = parts.length - low; i < parts.length; i++)
    value = (value << 16n) | hextet(parts[i] ?? "", text);
  return value;
}

function hextet(part: string, text: string): bigint {
  if (!/^[0-9a-fA-F]+$/.test(part)) throw refuse(`Only hex digits permitted in '${part}' in '${text}'`);
  if (part.length > 4) throw refuse(`At most 4 characters permitted in '${part}' in '${text}'`);
  return BigInt(`0x${part}`);
}

function v4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
}

const hextets = (value: bigint): bigint[] =>
  Array.from({ length: 8 }, (_, i) => (value >> BigInt(112 - 16 * i)) & 0xffffn);

function v6Exploded(value: bigint): string {
  return hextets(value)
    .map((group) => group.toString(16).padStart(4, "0"))
    .join(":");
}

/** `::` replaces the longest run of at least two zero groups. */
function v6Text(value: bigint): string {
  const groups = hextets(value).map((group) => group.toString(16));
  let best = { start: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let length = 0;
    while (groups[i + length] === "0") length++;
    if (length > best.length) best = { start: i, length };
    i += length;
  }
  if (best.start < 0) return groups.join(":");
  return `${groups.slice(0, best.start).join(":")}::${groups.slice(best.start + best.length).join(":")}`;
}

export function addressText(version: Version, ip: bigint, scope = ""): string {
  return scoped(version === 4 ? v4Text(ip) : v6Text(ip), scope);
}

/** The exploded form, with all digits. */
export function explodedText(version: Version, ip: bigint, scope = ""): string {
  return scoped(version === 4 ? v4Text(ip) : v6Exploded(ip), scope);
}

const scoped = (text: string, scope: string): string => (scope === "" ? text : `${text}%${scope}`);

/** The name for reverse DNS. */
export function reversePointer(version: Version, ip: bigint): string {
  if (version === 4) return `${v4Text(ip).split(".").reverse().join(".")}.in-addr.arpa`;
  return `${Array.from(v6Exploded(ip).replaceAll(":", "")).reverse().join(".")}.ip6.arpa`;
}

/** A prefix length, or for IPv4 also a netmask or hostmask. */
export function parsePrefix(version: Version, text: string): number {
  const prefix = version === 6 && !DIGITS.test(text) ? undefined : readPrefix(version, text);
  if (prefix === undefined) throw new PyError("NetmaskValueError", `'${text}' is not a valid netmask`);
  return prefix;
}

const DIGITS = /^[0-9]+$/;

/** A prefix length, netmask or hostmask; otherwise `undefined`. */
export function readPrefix(version: Version, text: string): number | undefined {
  if (DIGITS.test(text)) return Number(text) <= WIDTH[version] ? Number(text) : undefined;
  const mask = readAddress(text);
  return mask?.version === version ? prefixOfMask(version, mask.ip) : undefined;
}

/** `undefined` if the mask is neither a netmask (ones, then zeros) nor a hostmask. */
export function prefixOfMask(version: Version, mask: bigint): number | undefined {
  const bits = mask.toString(2).padStart(WIDTH[version], "0");
  const match = /^(1*)0*$/.exec(bits) ?? /^(0*)1*$/.exec(bits);
  return match?.[1]?.length;
}
