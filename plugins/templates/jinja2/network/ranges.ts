/** What kind of address it is: private, loopback, multicast, and what counts as public. */
import { first, last, type Network, parseNetwork, width } from "./address.ts";

type Ranges = readonly (readonly [bigint, bigint])[];

function ranges(list: string): Ranges {
  return list.split(" ").map((one) => {
    const network = parseNetwork(one);
    if (network === undefined) throw new Error(`not a network: ${one}`);
    return [first(network), last(network)] as const;
  });
}

const LINK_LOCAL = { 4: ranges("169.254.0.0/16"), 6: ranges("fe80::/10") };
const LOOPBACK = { 4: ranges("127.0.0.0/8"), 6: ranges("::1/128") };
const MULTICAST = { 4: ranges("224.0.0.0/4"), 6: ranges("ff00::/8") };
const PRIVATE = {
  4: ranges(
    "10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 239.0.0.0/8 169.254.0.0/16",
  ),
  6: ranges("fc00::/7 fec0::/10 fe80::/10"),
};
/** Public ones that start so are none: they are most likely masks. */
const isMask = (network: Network): boolean => {
  const bits = network.ip.toString(2).padStart(width(network.version), "0");
  return /^(?:1*0*|0*1*)$/.test(bits);
};

function within(network: Network, kind: Record<4 | 6, Ranges>): boolean {
  const from = first(network);
  const to = last(network);
  return kind[network.version].some(([low, high]) => low <= from && to <= high);
}

const addressOnly = (network: Network): Network => ({ ...network, prefix: width(network.version) });

export const isMulticast = (network: Network): boolean => within(network, MULTICAST);
export const isUnicast = (network: Network): boolean => !isMulticast(network);
export const isPrivate = (network: Network): boolean => within(network, PRIVATE);
/** These ask for the address alone, whatever its prefix. */
export const isLinkLocal = (network: Network): boolean => within(addressOnly(network), LINK_LOCAL);
export const isLoopback = (network: Network): boolean => within(addressOnly(network), LOOPBACK);
export const isPublic = (network: Network): boolean => {
  const address = addressOnly(network);
  return isUnicast(address) && !isPrivate(address) && !isLoopback(address) && !isMask(address);
};
