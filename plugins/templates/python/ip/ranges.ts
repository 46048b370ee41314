/** Which addresses are private, reserved and so on, in the words of Python's ipaddress. */
import { netmaskOf, parseV4, parseV6, type Version } from "./numbers.ts";

export interface Range {
  readonly network: bigint;
  readonly prefix: number;
}

const v4 = (texts: string): Range[] =>
  texts.split(" ").map((text) => {
    const [address = "", prefix = "32"] = text.split("/");
    return { network: parseV4(address), prefix: Number(prefix) };
  });
const v6 = (texts: string): Range[] =>
  texts.split(" ").map((text) => {
    const [address = "", prefix = "128"] = text.split("/");
    return { network: parseV6(address).value, prefix: Number(prefix) };
  });

interface Ranges {
  readonly link_local: readonly Range[];
  readonly loopback: readonly Range[];
  readonly multicast: readonly Range[];
  readonly private: readonly Range[];
  readonly reserved: readonly Range[];
  readonly shared: readonly Range[];
  readonly site_local: readonly Range[];
}

const RANGES: Readonly<Record<Version, Ranges>> = {
  4: {
    link_local: v4("169.254.0.0/16"),
    loopback: v4("127.0.0.0/8"),
    multicast: v4("224.0.0.0/4"),
    private: v4(
      "0.0.0.0/8 10.0.0.0/8 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/29 192.0.0.170/31 192.0.2.0/24 " +
        "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 255.255.255.255/32",
    ),
    reserved: v4("240.0.0.0/4"),
    shared: v4("100.64.0.0/10"),
    site_local: [],
  },
  6: {
    link_local: v6("fe80::/10"),
    loopback: v6("::1/128"),
    multicast: v6("ff00::/8"),
    private: v6(
      "::1/128 ::/128 ::ffff:0:0/96 100::/64 2001::/23 2001:2::/48 2001:db8::/32 2001:10::/28 fc00::/7 fe80::/10",
    ),
    reserved: v6(
      "::/8 100::/8 200::/7 400::/6 800::/5 1000::/4 4000::/3 6000::/3 8000::/3 a000::/3 c000::/3 e000::/4 f000::/5 " +
        "f800::/6 fe00::/9",
    ),
    shared: [],
    site_local: v6("fec0::/10"),
  },
};

/** Whether one range of the kind holds both ends. */
export function within(kind: keyof Ranges, version: Version, first: bigint, last = first): boolean {
  return RANGES[version][kind].some(({ network, prefix }) => {
    const mask = netmaskOf(version, prefix);
    return (first & mask) === network && (last & mask) === network;
  });
}
