/** Private, reserved and other special ranges, as Python's ipaddress and as netaddr define them. */
import { first, includes, last, type Network } from "./network.ts";
import { readAddress, WIDTH } from "./numbers.ts";

type Ranges = readonly Network[];

/** @param text networks of both versions, separated by spaces */
function ranges(text: string): Ranges {
  return text.split(" ").map((entry) => {
    const [address = "", prefix] = entry.split("/");
    const read = readAddress(address);
    if (read === undefined) throw new Error(`not a network: ${entry}`);
    return { ...read, prefix: prefix === undefined ? WIDTH[read.version] : Number(prefix) };
  });
}

const linkLocal = ranges("169.254.0.0/16 fe80::/10");
const loopback = ranges("127.0.0.0/8 ::1");
const multicast = ranges("224.0.0.0/4 ff00::/8");

export const ipaddressRanges = {
  link_local: linkLocal,
  loopback,
  multicast,
  private: ranges(
    "0.0.0.0/8 10.0.0.0/8 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.170/31 192.0.2.0/24 " +
      "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 255.255.255.255 " +
      "::1 :: ::ffff:0:0/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 fc00::/7 fe80::/10",
  ),
  reserved: ranges(
    "240.0.0.0/4 ::/8 100::/8 200::/7 400::/6 800::/5 1000::/4 4000::/3 6000::/3 8000::/3 a000::/3 c000::/3 " +
      "e000::/4 f000::/5 f800::/6 fe00::/9",
  ),
  shared: ranges("100.64.0.0/10"),
  site_local: ranges("fec0::/10"),
};

export const netaddrRanges = {
  link_local: linkLocal,
  loopback,
  multicast,
  private: ranges(
    "10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 239.0.0.0/8 " +
      "169.254.0.0/16 fc00::/7 fec0::/10 fe80::/10",
  ),
};

/** Global addresses inside the private ranges. */
const globalInside = ranges(
  "192.0.0.9 192.0.0.10 2001:1::1 2001:1::2 2001:3::/32 2001:4:112::/48 2001:20::/28 2001:30::/28",
);

/** As Python's ipaddress since its security fix of 2024. */
export function isPrivate(network: Network): boolean {
  const ends = [first(network), last(network)].map((ip) => ({ ...addressOf(network), ip }));
  return within(network, ipaddressRanges.private) && !ends.some((address) => within(address, globalInside));
}

const addressOf = ({ version, ip }: Network): Network => ({ version, ip, prefix: WIDTH[version] });

/** Whether one of the ranges contains the whole network. */
export const within = (network: Network, ranges: Ranges): boolean =>
  ranges.some((range) => includes(range, network));
