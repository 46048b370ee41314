/** Addresses and networks as systems write them. */
import ipaddr from "ipaddr.js";

export interface Network {
  readonly address: string;
  readonly length: number;
}

export type Family = "ipv4" | "ipv6";

/** Undefined: it is no address. */
export function familyOf(text: string): Family | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return "ipv4";
  return text.includes(":") && ipaddr.IPv6.isValid(text) ? "ipv6" : undefined;
}

/** In one spelling. */
export function addressIn(text: string): string {
  const bare = text.replace(/\/\d+$/, "");
  return familyOf(bare) === undefined ? bare : ipaddr.process(bare).toString();
}

/** @param mask a length, a net mask, or a wildcard; default: behind a slash, or one address */
export function networkOf(text: string, mask?: string): Network | undefined {
  const [address = "", behind] = text.split("/");
  const family = familyOf(address);
  if (family === undefined) return undefined;
  const whole = family === "ipv4" ? 32 : 128;
  const given = behind ?? mask?.replace(/^\//, "");
  const length = given === undefined || given === "" ? whole : lengthOf(given);
  return length === undefined || length > whole ? undefined : { address: addressIn(address), length };
}

/** Undefined: it is no mask. */
function lengthOf(mask: string): number | undefined {
  if (/^\d{1,3}$/.test(mask)) return Number(mask);
  if (familyOf(mask) !== "ipv4") return undefined;
  const bits = mask
    .split(".")
    .map((part) => Number(part).toString(2).padStart(8, "0"))
    .join("");
  if (/^1*0*$/.test(bits)) return bits.replace(/0+$/, "").length;
  // A wildcard.
  return /^0*1*$/.test(bits) ? bits.replace(/1+$/, "").length : undefined;
}

export function isWithin(address: string, { address: base, length }: Network): boolean {
  const [family, other] = [familyOf(addressIn(address)), familyOf(base)];
  if (family === undefined || family !== other) return false;
  return family === "ipv4"
    ? ipaddr.IPv4.parse(addressIn(address)).match(ipaddr.IPv4.parse(base), length)
    : ipaddr.IPv6.parse(addressIn(address)).match(ipaddr.IPv6.parse(base), length);
}
