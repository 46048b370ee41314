/** Host patterns: an address pattern matches addresses only, a name pattern matches names only. */
import ipaddr from "ipaddr.js";
import { anyChars, type GlobParts, globOf } from "../regex/glob.ts";
import { patternProblem } from "./host-pattern.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface HostPattern {
  /** `any` is `*`; `address` an address, a CIDR range or `10.1.*`; `name` a name or `*.branch.example`. */
  readonly kind: "any" | "address" | "name";
  /** Matches one host or a family of names, not a range of addresses. */
  readonly isExact: boolean;
  /** @param host an address or a name, as parsed by `hostOf`. */
  matches(host: Host): boolean;
}

/** A parsed host: an address in canonical spelling; anything else is a name. */
export interface Host {
  readonly text: string;
  readonly address: Address | undefined;
}

export function hostOf(text: string): Host {
  const bare = text.trim().toLowerCase();
  const address = plainAddress(bare);
  return { text: address?.toString() ?? bare.replace(/\.$/, ""), address };
}

/** @returns undefined for an invalid pattern such as `10.0.0.0/99`, which matches nothing. */
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

/** `127.22.*` is an address pattern: it matches no name that begins the same way. */
function wildcard(text: string): HostPattern {
  const isAddress = looksNumeric(text) || text.includes(":");
  const parts: GlobParts = text.split("*").flatMap((part, at) => (at === 0 ? [part] : [anyChars, part]));
  // A regular expression would try every way to divide a name among its wildcards.
  const fits = globOf(parts);
  return {
    kind: isAddress ? "address" : "name",
    isExact: !isAddress,
    matches: (host) =>
      (host.address !== undefined) === isAddress && !host.text.includes(" ") && fits(host.text),
  };
}

/**
 * `127.1`, `0177.0.0.1` and `2130706433` are neither canonical addresses nor names, although a resolver accepts them.
 */
function looksNumeric(text: string): boolean {
  return /^[\d.*]+$/.test(text);
}

/**
 * Accepts canonical spellings only: `isValid` also accepts octal and short forms that other parsers read differently.
 */
export function plainAddress(text: string): Address | undefined {
  const bare = text.replace(/^\[(.*)\]$/, "$1");
  const plain4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.test(bare) && !/(^|\.)0\d/.test(bare);
  if (!plain4 && !bare.includes(":")) return undefined;
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
}

/** Whether `host` matches `pattern`; names are not resolved. */
export function hostMatches(pattern: string, host: string): boolean {
  return readHostPattern(pattern)?.matches(hostOf(host)) ?? false;
}
