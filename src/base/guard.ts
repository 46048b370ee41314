/** Allow-lists of the operator: addresses of URLs, files below roots. */
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import ipaddr from "ipaddr.js";
import { ServiceError } from "./errors.ts";
import { hostMatches, plainAddress } from "./host-match.ts";

export interface AddressPolicy {
  /** CIDR or host patterns that are allowed even where the default refuses (e.g. loopback). */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Public and private unicast is reachable by default; loopback, link-local, metadata and the like are not. */
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
 * @param host the name the address was resolved from, for host patterns.
 * @param address what is going to be dialled.
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

/** `::127.0.0.1`: an IPv4 address in the old form that nothing should answer on. */
function isOldMapped(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === "ipv6" && address.match(oldMapped, 96);
}

const oldMapped = ipaddr.IPv6.parse("::");

const outside = () => new ServiceError("Forbidden", "The path is outside the allowed folders.");

/**
 * Real path of `path` below one of the roots, symbolic links followed and checked. A file that is to be written
 * need not exist, its folder must. The message is the same whether the file exists or not.
 * @throws ServiceError Forbidden
 */
export async function fileBelow(
  roots: readonly string[],
  path: string,
  use: "read" | "write",
): Promise<string> {
  if (path.includes("\0") || roots.length === 0) throw outside();
  for (const root of roots) {
    const base = await realpath(root).catch(() => undefined);
    if (base === undefined) continue;
    const absolute = isAbsolute(path) ? resolve(path) : join(base, path);
    const real = await realRead(absolute, use);
    if (
      real !== undefined &&
      (real === base || real.startsWith(base + sep)) &&
      (await isPlainFile(real, use))
    )
      return real;
  }
  throw outside();
}

async function realRead(path: string, use: "read" | "write"): Promise<string | undefined> {
  const existing = await realpath(path).catch(() => undefined);
  if (existing !== undefined || use === "read") return existing;
  const folder = await realpath(dirname(path)).catch(() => undefined);
  return folder && join(folder, basename(path));
}

/** A pipe or a device such as /dev/zero never ends. */
async function isPlainFile(path: string, use: "read" | "write"): Promise<boolean> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => error.code);
  if (typeof handle === "string" || handle === undefined) return use === "write" && handle === "ENOENT";
  try {
    const stat = await handle.stat();
    return stat.isFile() && stat.nlink === 1;
  } finally {
    await handle.close();
  }
}
