/** Parses hosts of a command line: names, addresses and ranges, with user and port. */
import { ServiceError } from "../../base/errors.ts";

/** Per argument: a typo such as /8 must not expand to sixteen million devices. */
const maxHosts = 10_000;

export interface WrittenHost {
  readonly host: string;
  readonly port?: number;
  readonly username?: string;
}

/** `r1,r2:2222`, `admin@sw[01-48]`, `10.0.0.1-20`, `10.0.0.0/28`, `[2001:db8::1]:22`. @throws ServiceError Validation */
export function readHosts(text: string): WrittenHost[] {
  const parts = splitList(text);
  if (parts.length === 0) throw new ServiceError("Validation", "No host was given.");
  // Counted before expansion: three ranges may be a trillion hosts.
  if (parts.reduce((sum, part) => sum + combinations(part), 0) > maxHosts) throw tooMany(text);
  const hosts = parts.flatMap(readHost);
  if (hosts.length > maxHosts) throw tooMany(text);
  return hosts;
}

/** The product of its bracket ranges. */
function combinations(part: string): number {
  const sizes = Array.from(
    part.matchAll(/\[(\d+)-(\d+)\]/g),
    ([, from, to]) => Number(to) - Number(from) + 1,
  );
  return sizes.reduce((product, size) => product * Math.max(1, size), 1);
}

/** Splits at commas and blanks outside of brackets. */
function splitList(text: string): string[] {
  return (text.match(/(?:\[[^\]]*\]|[^,\s])+/g) ?? []).map((part) => part.trim()).filter(Boolean);
}

function readHost(text: string): WrittenHost[] {
  const [, username, rest = ""] = /^(?:([^@]*)@)?(.*)$/s.exec(text) ?? [];
  if (username === "") throw new ServiceError("Validation", `${quote(text)}: there is no user before the @.`);
  const { name, port } = splitPort(rest, text);
  return expand(name, text).map((host) => ({
    host,
    ...(port === undefined ? {} : { port }),
    ...(username === undefined ? {} : { username }),
  }));
}

function splitPort(text: string, entry: string): { name: string; port?: number } {
  const v6 = /^\[([0-9a-f:.]*:[0-9a-f:.]*)\](?::(\d+))?$/i.exec(text);
  const [, name = text, digits] = v6 ?? /^([^:]*):([^:]*)$/.exec(text) ?? [];
  if (digits === undefined) return { name };
  const port = Number(digits);
  if (/^\d{1,5}$/.test(digits) && port >= 1 && port <= 65_535) return { name, port };
  throw new ServiceError("Validation", `${quote(entry)}: the port must be a number from 1 to 65535.`);
}

function expand(name: string, entry: string): string[] {
  if (name.includes("/")) return network(name, entry);
  const span = /^((?:\d{1,3}\.){3})(\d{1,3})-(\d{1,3})$/.exec(name);
  if (span) {
    const [, before = "", from, to] = span;
    requireOctet(Number(to), entry);
    return numbers(Number(from), Number(to), 0, entry).map((number) => before + number);
  }
  const bracket = /^([^[\]]*)\[(\d+)-(\d+)\](.*)$/.exec(name);
  if (bracket) {
    const [, before, from = "", to = "", after = ""] = bracket;
    const width = from.startsWith("0") ? from.length : 0;
    return numbers(Number(from), Number(to), width, entry).flatMap((number) =>
      expand(`${before}${number}${after}`, entry),
    );
  }
  // Refuses malformed hosts here, with a better message than the service.
  if (name !== "" && /^[\w.:-]+$/.test(name)) return [name];
  throw new ServiceError("Validation", `${quote(entry)} is not a valid host name, address or range.`);
}

function numbers(from: number, to: number, width: number, entry: string): string[] {
  if (to < from) throw new ServiceError("Validation", `${quote(entry)}: the range ends before it begins.`);
  if (to - from >= maxHosts) throw tooMany(entry);
  return Array.from({ length: to - from + 1 }, (_, at) => String(from + at).padStart(width, "0"));
}

/** All host addresses, without network and broadcast address. */
function network(name: string, entry: string): string[] {
  const [, address = "", bits = ""] = /^((?:\d{1,3}\.){3}\d{1,3})\/(\d{1,2})$/.exec(name) ?? [];
  const octets = address.split(".").map(Number);
  if (octets.length !== 4 || Number(bits) > 32)
    throw new ServiceError(
      "Validation",
      `${quote(entry)} is not an IPv4 network: it must be like 10.0.0.0/28.`,
    );
  for (const octet of octets) requireOctet(octet, entry);
  const size = 2 ** (32 - Number(bits));
  if (size > maxHosts) throw tooMany(entry);
  const first = Math.floor(octets.reduce((sum, octet) => sum * 256 + octet, 0) / size) * size;
  const edge = size > 2 ? 1 : 0;
  return Array.from({ length: size - 2 * edge }, (_, at) => toAddress(first + edge + at));
}

function toAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}

function requireOctet(octet: number, entry: string): void {
  if (octet > 255) throw new ServiceError("Validation", `${quote(entry)}: an address has no part above 255.`);
}

function tooMany(entry: string): ServiceError {
  return new ServiceError("Validation", `${quote(entry)} is more than ${maxHosts} hosts.`);
}

const quote = (text: string) => JSON.stringify(text);
