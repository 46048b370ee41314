/** What kind of address it is for netaddr: private, loopback, multicast, and what counts as public. */
import type { Network } from "../../python/ip/network.ts";
import { prefixOfMask, WIDTH } from "../../python/ip/numbers.ts";
import { netaddrRanges, within } from "../../python/ip/ranges.ts";

/** Public ones that start so are none: they are most likely masks. */
const isMask = ({ version, ip }: Network): boolean => prefixOfMask(version, ip) !== undefined;

const addressOnly = ({ version, ip }: Network): Network => ({ version, ip, prefix: WIDTH[version] });

export const isMulticast = (network: Network): boolean => within(network, netaddrRanges.multicast);
export const isUnicast = (network: Network): boolean => !isMulticast(network);
export const isPrivate = (network: Network): boolean => within(network, netaddrRanges.private);
/** These ask for the address alone, whatever its prefix. */
export const isLinkLocal = (network: Network): boolean =>
  within(addressOnly(network), netaddrRanges.link_local);
export const isLoopback = (network: Network): boolean => within(addressOnly(network), netaddrRanges.loopback);
export const isPublic = (network: Network): boolean => {
  const address = addressOnly(network);
  return isUnicast(address) && !isPrivate(address) && !isLoopback(address) && !isMask(address);
};
