/** Whether a host fits a pattern: an address pattern matches addresses only, a name pattern matches names only. */
import ipaddr from "ipaddr.js";
import { patternProblem } from "./host-pattern.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface HostPattern {
  /** `any` is `*`; `address` an address, a CIDR range or `10.1.*`; `name` a name or `*.branch.example`. */
  readonly kind: "any" | "address" | "name";
  /** Names one host or a family of names, not a range of addresses. */
  readonly isExact: boolean;
  /** @param host an address or a name, as `hostOf` reads it. */
  matches(host: Host): boolean;
}

/** What stands where a host is named: an address in its plain spelling, anything else is a name. */
export interface Host {
  readonly text: string;
  readonly address: Address | undefined;
}

export function hostOf(text: string): Host {
  const bare = text.trim().toLowerCase();
  const address = plainAddress(bare);
  return { text: address?.toString() ?? bare.replace(/\.$/, ""), address };
}

/** @returns undefined for a text that is no pattern, such as `10.0.0.0/99`: it matches nothing. */
export function readHostPattern(text: string): HostPattern | undefined {
  const lowered = text.trim().toLowerCase();
  if (patternProblem(lowered) !== undefined) return undefined;
  if (lowered === "*") return { kind: "any", isExact: false, matches: () => true };
  if (lowered.includes("/")) return rangePattern(lowered);
  if (lowered.includes("*")) return wildcard(lowered);
  const { text: plain, address } = hostOf(lowered);
  if (address !== undefined)
    return {
      kind: "address",
      isExact: true,
      matches: (host) => host.address !== undefined && host.text === plain,
    };
  return {
    kind: "name",
    isExact: true,
    matches: (host) => host.address === undefined && host.text === plain,
  };
}

function rangePattern(cidr: string): HostPattern {
  const [range, bits] = ipaddr.parseCIDR(cidr);
  return {
    kind: "address",
    isExact: bits === range.toByteArray().length * 8,
    matches: ({ address }) =>
      address !== undefined && range.kind() === address.kind() && address.match(range, bits),
  };
}

/** `127.22.*` is written like an address: a name that begins so is none of its own. */
function wildcard(text: string): HostPattern {
  const isAddress = looksNumeric(text) || text.includes(":");
  const source = text.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`^${source.join("[^ ]*")}$`);
  return {
    kind: isAddress ? "address" : "name",
    isExact: !isAddress,
    matches: (host) => (host.address !== undefined) === isAddress && pattern.test(host.text),
  };
}

/** `127.1`, `0177.0.0.1` and `2130706433` are no plain addresses and no names either, though a resolver reads them. */
function looksNumeric(text: string): boolean {
  return /^[\d.*]+$/.test(text);
}

/** Only addresses in their plain spelling: `isValid` also takes octal and short forms that others read differently. */
export function plainAddress(text: string): Address | undefined {
  const bare = text.replace(/^\[(.*)\]$/, "$1");
  const plain4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.test(bare) && !/(^|\.)0\d/.test(bare);
  if (!plain4 && !bare.includes(":")) return undefined;
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
}

/** Whether `host` fits `pattern`; a name is not looked up. */
export function hostMatches(pattern: string, host: string): boolean {
  return readHostPattern(pattern)?.matches(hostOf(host)) ?? false;
}
