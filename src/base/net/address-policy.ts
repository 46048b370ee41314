/** Address policy: which public and private addresses the service may dial, and what the operator allows or denies. */
import ipaddr from "ipaddr.js";
import { hostMatches, plainAddress } from "./host-match.ts";

export interface AddressPolicy {
  /** CIDR or host patterns that are allowed even if refused by default (e.g. loopback). */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Refused by default: loopback, link-local, metadata and similar ranges. Public and private unicast is allowed. */
const refusedRanges = new Set([
  "unspecified",
  "broadcast",
  "multicast",
  "linkLocal",
  "loopback",
  "reserved",
  "carrierGradeNat",
  "rfc6145",
  "rfc6052",
  "6to4",
  "teredo",
  "benchmarking",
  "amt",
  "as112",
  "as112v6",
  "deprecated",
  "orchid2",
  "droneRemoteIdProtocolEntityTags",
]);
const metadataAddresses = new Set(["169.254.169.254", "fd00:ec2::254", "100.100.100.200"]);

/**
 * @param host the name that resolved to the address, for host patterns.
 * @param address the address about to be dialled.
 */
export function addressAllowed(policy: AddressPolicy, host: string, address: string): boolean {
  const parsed = plainAddress(address);
  if (parsed === undefined) return false;
  const text = parsed.toString();
  const matches = (pattern: string) => hostMatches(pattern, text) || hostMatches(pattern, host);
  if (policy.deny.some(matches)) return false;
  if (policy.allow.some(matches)) return true;
  return !refusedRanges.has(parsed.range()) && !metadataAddresses.has(text) && !isOldMapped(parsed);
}

/** `::127.0.0.1`: the deprecated IPv4-compatible form, which should not be in use. */
function isOldMapped(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === "ipv6" && address.match(oldMapped, 96);
}

const oldMapped = ipaddr.IPv6.parse("::");
