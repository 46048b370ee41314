/** Non-canonical IPv4 spellings that a resolver accepts: `0x0a000001`, `167772161`, `10.1`, `010.0.0.1`. */
import ipaddr from "ipaddr.js";

const part = "(?:0x[\\da-f]+|\\d+)";
const numeric = new RegExp(`^${part}(?:\\.${part}){0,3}$`, "i");

/** Strips the brackets that an IPv6 address has in URLs; a dial needs it without them. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

/** Every canonical address that a resolver may read it as; none if it is a name or already canonical. */
export function addressesSpelled(host: string): string[] {
  const bare = host.trim().replace(/\.$/, "");
  if (!numeric.test(bare)) return [];
  // A leading zero means octal to some parsers and decimal to others.
  const decimal = bare.replace(/(^|\.)0+(?=\d)/g, "$1");
  return [...new Set([bare, decimal])]
    .filter((text) => ipaddr.IPv4.isValid(text))
    .map((text) => ipaddr.IPv4.parse(text).toString());
}
