/** Interfaces of IOS XR: state, counters and addresses. */
import { type XmlElement, xml } from "patchbay/plugin";
import { addressOrText } from "../../../common/addresses.ts";
import { decimalAt, integerAt, macOr } from "../../../common/elements.ts";
import type { NetconfDevice } from "../../../common/netconf.ts";
import { slot } from "../../../common/records.ts";
import type { Interface, InterfaceAddresses, InterfaceCounters } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { getOperation, leaves, model, nested } from "../operations.ts";

const imModel = model("pfi-im-cmd-oper");

const stateOperation = getOperation(
  nested(
    imModel,
    "interfaces",
    xml("interfaces", {}, xml("interface", {}, ...leaves("interface-name", "description"))),
    xml(
      "interface-xr",
      {},
      xml(
        "interface",
        {},
        ...leaves("interface-name", "line-state", "state"),
        xml("mac-address", {}, xml("address")),
        ...leaves("bandwidth", "mtu"),
      ),
    ),
  ),
);

export const get_interfaces: Getter<NetconfDevice, "get_interfaces"> = async (device) => {
  const reply = await device.ask(stateOperation);
  const described = reply.all("data/interfaces/interfaces/interface");
  const interfaces: Record<string, Interface> = {};
  // Two lists of the same interfaces, matched by position regardless of names.
  for (const [at, element] of reply.all("data/interfaces/interface-xr/interface").entries()) {
    const name = element.textOf("interface-name");
    const description = described[at]?.textOf("description");
    if (name !== "" && description !== undefined) interfaces[name] = interfaceOf(element, description);
  }
  return interfaces;
};

function interfaceOf(element: XmlElement, description: string): Interface {
  return {
    is_up: element.textOf("line-state") === "im-state-up",
    is_enabled: element.textOf("state") !== "im-state-admin-down",
    mac_address: macOr(element.textOf("mac-address/address")),
    description,
    // The device reports kbit/s.
    speed: decimalAt(element, "bandwidth", 0) * 1e-3,
    mtu: integerAt(element, "mtu", 0),
    last_flapped: -1,
  };
}

const counterNames: Readonly<Record<keyof InterfaceCounters, string>> = {
  tx_multicast_packets: "multicast-packets-sent",
  tx_discards: "output-drops",
  tx_octets: "bytes-sent",
  tx_errors: "output-errors",
  rx_octets: "bytes-received",
  tx_unicast_packets: "packets-sent",
  rx_errors: "input-errors",
  tx_broadcast_packets: "broadcast-packets-sent",
  rx_multicast_packets: "multicast-packets-received",
  rx_broadcast_packets: "broadcast-packets-received",
  rx_discards: "input-drops",
  rx_unicast_packets: "packets-received",
};

const countersOperation = getOperation(
  nested(
    imModel,
    "interfaces/interface-xr/interface",
    xml("interface-name"),
    xml(
      "interface-statistics",
      {},
      xml("stats-type"),
      xml("full-interface-stats", {}, ...leaves(...Object.values(counterNames))),
    ),
  ),
);

export const get_interfaces_counters: Getter<NetconfDevice, "get_interfaces_counters"> = async (device) => {
  const reply = await device.ask(countersOperation);
  const counted = reply
    .all("data/interfaces/interface-xr/interface")
    // Loopbacks have no counters.
    .filter((element) => !/^Loopback\d+$/.test(element.textOf("interface-name")));
  return Object.fromEntries(
    counted.map((element) => [element.textOf("interface-name"), countersOf(element)]),
  );
};

/** -1 if the interface has only basic statistics. */
function countersOf(element: XmlElement): InterfaceCounters {
  const otherwise = element.textOf("interface-statistics/stats-type") === "basic" ? -1 : 0;
  const count = (counter: keyof InterfaceCounters) =>
    integerAt(element, `interface-statistics/full-interface-stats/${counterNames[counter]}`, otherwise);
  return {
    tx_errors: count("tx_errors"),
    rx_errors: count("rx_errors"),
    tx_discards: count("tx_discards"),
    rx_discards: count("rx_discards"),
    tx_octets: count("tx_octets"),
    rx_octets: count("rx_octets"),
    tx_unicast_packets: count("tx_unicast_packets"),
    rx_unicast_packets: count("rx_unicast_packets"),
    tx_multicast_packets: count("tx_multicast_packets"),
    rx_multicast_packets: count("rx_multicast_packets"),
    tx_broadcast_packets: count("tx_broadcast_packets"),
    rx_broadcast_packets: count("rx_broadcast_packets"),
  };
}

const addressesOperation = getOperation(
  nested(model("ipv4-io-oper"), "ipv4-network/nodes/node/interface-data/vrfs/vrf/details/detail"),
  nested(
    model("ipv6-ma-oper"),
    "ipv6-network/nodes/node/interface-data/vrfs/vrf/global-details/global-detail",
  ),
);

type Addresses = {
  -readonly [Family in keyof InterfaceAddresses]: Record<string, { prefix_length: number }>;
};

export const get_interfaces_ip: Getter<NetconfDevice, "get_interfaces_ip"> = async (device) => {
  const reply = await device.ask(addressesOperation);
  const interfaces: Record<string, Addresses> = {};
  const add = (detail: XmlElement, family: "ipv4" | "ipv6", address: string, length: number) => {
    const ofInterface = slot(interfaces, detail.textOf("interface-name"), () => ({}));
    ofInterface[family] ??= {};
    if (address !== "") ofInterface[family][addressOrText(address)] = { prefix_length: length };
  };
  const ofNodes = "nodes/node/interface-data/vrfs/vrf";
  for (const detail of reply.all(`data/ipv4-network/${ofNodes}/details/detail`)) {
    add(detail, "ipv4", detail.textOf("primary-address"), integerAt(detail, "prefix-length", 0));
    for (const second of detail.all("secondary-address"))
      add(detail, "ipv4", second.textOf("address"), integerAt(second, "prefix-length", 0));
  }
  for (const detail of reply.all(`data/ipv6-network/${ofNodes}/global-details/global-detail`)) {
    add(detail, "ipv6", "", 0);
    for (const address of detail.all("address"))
      add(detail, "ipv6", address.textOf("address"), integerAt(address, "prefix-length", 0));
  }
  return interfaces;
};
