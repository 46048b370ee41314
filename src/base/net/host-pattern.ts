/**
 * Validates host patterns: a name, a wildcard, an address or a CIDR range. An invalid pattern would match nothing, or
 * too much.
 */
import ipaddr from "ipaddr.js";

/** @returns what is wrong with the pattern; undefined if it is valid. */
export function patternProblem(pattern: string): string | undefined {
  const quoted = JSON.stringify(pattern);
  if (pattern.includes("/")) {
    return isRange(pattern)
      ? undefined
      : `${quoted} is not a CIDR range: it must be an address, "/" and a number up to 32 (IPv6: 128)`;
  }
  const bare = pattern.replace(/^\[(.*)\]$/, "$1");
  const fits = bare.includes(":")
    ? /^[0-9a-f:.*]+$/i.test(bare) && (bare.includes("*") || ipaddr.IPv6.isValid(bare))
    : /^[\d.*]+$/.test(bare)
      ? isAddressPattern(bare)
      : isNamePattern(bare);
  return fits
    ? undefined
    : `${quoted} is not a host pattern: it must be a name, a name with "*", an address or a CIDR range`;
}

function isRange(text: string): boolean {
  const [address = "", bits = "", ...more] = text.split("/");
  if (more.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(bits)) return false;
  if (address.includes(":")) return ipaddr.IPv6.isValid(address) && Number(bits) <= 128;
  return isAddressPattern(address) && !address.includes("*") && Number(bits) <= 32;
}

/** `10.0.0.1`, `10.1.*`; rejects spellings that some parsers read as octal. */
function isAddressPattern(text: string): boolean {
  const parts = text.split(".");
  const isDotted = parts.every((part) =>
    part.includes("*") ? /^[\d*]{1,4}$/.test(part) : /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255,
  );
  return isDotted && (text.includes("*") ? parts.length <= 4 : parts.length === 4);
}

function isNamePattern(text: string): boolean {
  return text.length <= 253 && /^[\w*](?:[\w.*-]*[\w*.])?$/.test(text) && !text.includes("..");
}
