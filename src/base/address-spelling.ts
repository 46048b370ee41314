/** Addresses as a resolver reads them that are no plain ones: `0x0a000001`, `167772161`, `10.1`, `010.0.0.1`. */
import ipaddr from "ipaddr.js";

const part = "(?:0x[\\da-f]+|\\d+)";
const numeric = new RegExp(`^${part}(?:\\.${part}){0,3}$`, "i");

/** An address of IPv6 without the brackets that it has in URLs: nothing is dialled by them. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

/** Every plain address that somebody may read in it; none where it is a name, or plain already. */
export function addressesSpelled(host: string): string[] {
  const bare = host.trim().replace(/\.$/, "");
  if (!numeric.test(bare)) return [];
  // What begins with a zero is octal to some, and decimal to others.
  const decimal = bare.replace(/(^|\.)0+(?=\d)/g, "$1");
  return [...new Set([bare, decimal])]
    .filter((text) => ipaddr.IPv4.isValid(text))
    .map((text) => ipaddr.IPv4.parse(text).toString());
}
