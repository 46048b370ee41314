/** Which addresses a key with these patterns may dial. */
import { reachOf, requireAddresses, requireStatedHost } from "../../src/auth/reach.ts";
import type { DialRule } from "../../src/base/net/dial.ts";

export function ruleOf(patterns: readonly string[]): DialRule {
  const reach = reachOf(patterns);
  return {
    limited: reach.limited,
    addresses: (host, addresses) => requireAddresses(reach, host, addresses),
    stated: (host) => requireStatedHost(reach, host),
    keepsHostKey: () => true,
  };
}
