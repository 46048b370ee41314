/** Python's `ipaddress` for macros. */

import { makeAddress, makeAny, makeInterface, makeNetwork } from "../../../python/ip/make.ts";
import { truth, type Value } from "../../../python/values.ts";
import { ExceptionType } from "../exceptions.ts";
import { ipType } from "../types.ts";
import { argument, makeModule } from "./module.ts";

const classes: Record<string, Value> = {};
for (const version of [4, 6] as const) {
  const kinds = {
    Address: ipType(`IPv${version}Address`, ([value = null]) => makeAddress(version, value)),
    Interface: ipType(`IPv${version}Interface`, ([value = null], _kwargs, meter) =>
      makeInterface(version, value, meter),
    ),
    Network: ipType(`IPv${version}Network`, (args, kwargs, meter) =>
      makeNetwork(version, args[0] ?? null, truth(argument(args, kwargs, 1, "strict") ?? true), meter),
    ),
  };
  for (const [kind, type] of Object.entries(kinds))
    if (type !== undefined) classes[`IPv${version}${kind}`] = type;
}

export const ipaddress = makeModule(
  "ipaddress",
  {
    ip_address: ([value = null], _kwargs, meter) => makeAny("address", value, meter),
    ip_interface: ([value = null], _kwargs, meter) => makeAny("interface", value, meter),
    ip_network: (args, kwargs, meter) =>
      makeAny("network", args[0] ?? null, meter, truth(argument(args, kwargs, 1, "strict") ?? true)),
  },
  {
    ...classes,
    AddressValueError: new ExceptionType("AddressValueError"),
    NetmaskValueError: new ExceptionType("NetmaskValueError"),
  },
);
