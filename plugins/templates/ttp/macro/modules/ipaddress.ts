/** Python's `ipaddress` for macros. */

import {
  collapsed,
  IpNetwork,
  itemsOf,
  type Kwargs,
  makeAddress,
  makeAny,
  makeInterface,
  makeNetwork,
  type Network,
  PyIterator,
  signature,
  summarized,
  truth,
  type Value,
} from "../../../python/index.ts";
import { ExceptionType } from "../exceptions.ts";
import { ipType } from "../types.ts";
import { makeModule } from "./module.ts";

const lazy = (networks: Generator<Network>): Value =>
  new PyIterator(networks.map((network) => IpNetwork.of(network)));

const networkArguments = signature("ip_network", ["address", "strict?"]);

function addressOf(name: string, args: readonly Value[], kwargs: Kwargs | undefined): Value {
  return signature(name, ["address"])(args, kwargs)[0] ?? null;
}

const classes: Record<string, Value> = {};
for (const version of [4, 6] as const) {
  const kinds = {
    Address: ipType(`IPv${version}Address`, (args, kwargs) =>
      makeAddress(version, addressOf(`IPv${version}Address`, args, kwargs)),
    ),
    Interface: ipType(`IPv${version}Interface`, (args, kwargs, meter) =>
      makeInterface(version, addressOf(`IPv${version}Interface`, args, kwargs), meter),
    ),
    Network: ipType(`IPv${version}Network`, (args, kwargs, meter) => {
      const [address = null, strict = true] = networkArguments(args, kwargs);
      return makeNetwork(version, address, truth(strict), meter);
    }),
  };
  for (const [kind, type] of Object.entries(kinds))
    if (type !== undefined) classes[`IPv${version}${kind}`] = type;
}

export const ipaddress = makeModule(
  "ipaddress",
  {
    ip_address: (args, kwargs, meter) => makeAny("address", addressOf("ip_address", args, kwargs), meter),
    ip_interface: (args, kwargs, meter) =>
      makeAny("interface", addressOf("ip_interface", args, kwargs), meter),
    ip_network(args, kwargs, meter) {
      const [address = null, strict = true] = networkArguments(args, kwargs);
      return makeAny("network", address, meter, truth(strict));
    },
    collapse_addresses: ([items = []], _kwargs, meter) => lazy(collapsed(itemsOf(items, meter), meter)),
    summarize_address_range: ([from = null, to = null], _kwargs, meter) => lazy(summarized(from, to, meter)),
  },
  {
    ...classes,
    AddressValueError: new ExceptionType("AddressValueError"),
    NetmaskValueError: new ExceptionType("NetmaskValueError"),
  },
  { collapse_addresses: "addresses", summarize_address_range: "first, last" },
);
