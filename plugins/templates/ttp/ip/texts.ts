/** How addresses are written: short, in full, and as names of the reverse zones. */
import { type Version, v4Text, v6Exploded, v6Text } from "../../python/ip/numbers.ts";

export function addressText(version: Version, value: bigint, scope = ""): string {
  const text = version === 4 ? v4Text(value) : v6Text(value);
  return scope === "" ? text : `${text}%${scope}`;
}

export function explodedText(version: Version, value: bigint, scope: string): string {
  const text = version === 4 ? v4Text(value) : v6Exploded(value);
  return scope === "" ? text : `${text}%${scope}`;
}

export function reversePointer(version: Version, value: bigint): string {
  if (version === 4) return `${v4Text(value).split(".").reverse().join(".")}.in-addr.arpa`;
  return `${Array.from(v6Exploded(value).replaceAll(":", "")).reverse().join(".")}.ip6.arpa`;
}
